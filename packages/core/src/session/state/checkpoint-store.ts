import { type Checkpoint, type CheckpointPart, type ClientRecord, clientRecordSchema } from './checkpoint.js';
import { CheckpointFiles, type CheckpointFilesOptions } from './checkpoint-files.js';
import { CheckpointJournal } from './checkpoint-journal.js';

const CLIENT_FILE = 'client.json';

/**
 * The sessions of a server's clients on disk, for the server that takes the place of one that was killed. What is kept of a
 * session goes with it. The name of a client is that of a folder.
 */
export class CheckpointStore {
  readonly #files: CheckpointFiles;

  private constructor(files: CheckpointFiles) {
    this.#files = files;
  }

  static async open(options: CheckpointFilesOptions): Promise<CheckpointStore> {
    return new CheckpointStore(await CheckpointFiles.open(options));
  }

  /** The clients of which anything is kept. */
  clients(): string[] {
    return this.#files.folders();
  }

  of(client: string): ClientCheckpoints {
    return new ClientCheckpoints(this.#files, client);
  }
}

/** What is kept of one client. */
export class ClientCheckpoints {
  readonly #files: CheckpointFiles;
  readonly #client: string;
  #sessions = 0;

  constructor(files: CheckpointFiles, client: string) {
    this.#files = files;
    this.#client = client;
  }

  /** `undefined` when nothing is kept, or nothing that can be read. */
  async load(): Promise<ClientRecord | undefined> {
    const record = await this.#files.read(this.#client, CLIENT_FILE, clientRecordSchema);
    this.#sessions = Math.max(0, ...(record?.sessions.map(({ number }) => number) ?? []));
    return record;
  }

  save(record: ClientRecord): void {
    if (record.sessions.length === 0) this.forget();
    else this.#files.write(this.#client, CLIENT_FILE, record);
  }

  /** @param number of a session that is kept; a new one's if left out */
  session(number: number = ++this.#sessions): SessionCheckpoint {
    return new SessionCheckpoint(this.#files, this.#client, number);
  }

  forget(): void {
    this.#files.removeFolder(this.#client);
  }
}

/** What is kept of one session's browser. */
export class SessionCheckpoint {
  readonly number: number;
  readonly #journal: CheckpointJournal;
  /** What is still being read of its browser is not kept any more. */
  #removed = false;

  constructor(files: CheckpointFiles, client: string, number: number) {
    this.number = number;
    this.#journal = new CheckpointJournal(files, client, `${number}.jsonl`);
  }

  /** Without the parts that are not there. */
  async load(): Promise<Checkpoint> {
    return await this.#journal.load();
  }

  /** Replaces a part. When it returns, a kill does not lose it. Never throws. */
  save<Part extends CheckpointPart>(part: Part, value: NonNullable<Checkpoint[Part]>): void {
    if (!this.#removed) this.#journal.append(part, value);
  }

  remove(): void {
    this.#removed = true;
    this.#journal.remove();
  }
}
