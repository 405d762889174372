/** What a tool of upstream's fills in, as far as it asks for a snapshot of the page. */
export interface SnapshotRequest {
  /** In a file, with a link to it in the answer. */
  setIncludeSnapshot(): void;
  /** In the answer itself. */
  setIncludeFullSnapshot(): void;
}

/** One of upstream's tools, with what it does. */
export interface HandlingTool {
  readonly schema: { readonly name: string };
  handle(context: unknown, params: unknown, response: SnapshotRequest, signal: unknown): Promise<unknown>;
}

/**
 * The tool with the snapshot in its answer where upstream would write a file and link it: nobody reads that of a small
 * page, and a client that is not on this machine cannot.
 *
 * @param wanted asked as the tool begins
 */
export function withSnapshotInAnswer<T extends HandlingTool>(tool: T, wanted: () => boolean): T {
  return {
    ...tool,
    handle(context: unknown, params: unknown, response: SnapshotRequest, signal: unknown) {
      if (wanted()) response.setIncludeSnapshot = () => response.setIncludeFullSnapshot();
      return tool.handle(context, params, response, signal);
    },
  };
}
