/** How long work on an instance waits for its holder. */
export interface Patience {
  /** After so many milliseconds the instance is taken from its holder. */
  timeoutMs: number;
  /** What is to be done, in words of which the instance is the subject: "is restarted". */
  work: string;
}
