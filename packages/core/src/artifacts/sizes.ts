const KIB = 1024;
const MIB = 1024 * KIB;

/** For people: `312 KB`, `1.5 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < MIB) return `${Math.round(bytes / KIB)} KB`;
  return megabytes(bytes);
}

export function megabytes(bytes: number): string {
  return `${Math.round((bytes / MIB) * 10) / 10} MB`;
}
