/** Whether a byte goes on with a character of UTF-8 rather than begins one: a text is not cut before it. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
