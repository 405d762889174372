const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines, whatever the pieces are that it comes in. */
export class Lines {
  /** The beginning of a line whose end has not come yet, in pieces: a long one is put together once. */
  #begun: Buffer[] = [];

  /** @returns the lines that end in this piece, each with its newline */
  push(piece: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      lines.push(Buffer.concat([...this.#begun, piece.subarray(start, end + 1)]));
      this.#begun = [];
      start = end + 1;
    }
    if (start < piece.length) this.#begun.push(piece.subarray(start));
    return lines;
  }
}
