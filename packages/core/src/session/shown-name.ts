/** Characters of a secret by which whoever runs the server tells sessions apart. They leave more than 80 bits to guess. */
const SHOWN = 8;

/** The name of a session as others than its owner see it: without most of the secret of that length at its end, if it has one. */
export function shownName(name: string, secretLength: number): string {
  const secret = new RegExp(`-[\\w-]{${secretLength}}$`).exec(name);
  return secret ? `${name.slice(0, secret.index + 1 + SHOWN)}…` : name;
}

/** Whether somebody means the session that is shown so: by that, with or without its last character, or by its whole name. */
export function isShownAs(shown: string, given: string): boolean {
  return shown === given || (shown.endsWith('…') && given.startsWith(shown.slice(0, -1)));
}
