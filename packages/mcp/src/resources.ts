import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type Server,
} from '@modelcontextprotocol/server';
import { PwpoolError } from '@pwpool/core/light';

/** Resources of one kind, as one client has them. */
export interface ResourceSource {
  /** The latest first. */
  list(): readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /**
   * @returns `undefined` for an address of another kind, `'not found'` for one of this kind where nothing is
   * @throws PwpoolError `INVALID_ARGUMENTS` for an address that is malformed
   */
  read(uri: string): Promise<ReadResourceResult['contents'] | 'not found' | undefined>;
}

const PAGE_LENGTH = 100;

/** Answers `resources/list`, `resources/templates/list` and `resources/read` from the sources. */
export function serveResources(server: Server, sources: () => Promise<readonly ResourceSource[]>): void {
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', async ({ params }) =>
    pageOf(
      (await sources()).flatMap((source) => source.list()),
      params?.cursor,
    ),
  );
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: (await sources()).flatMap(({ templates }) => templates),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    for (const source of await sources()) {
      const contents = await source.read(uri).catch(invalidParams);
      if (contents === 'not found') break;
      if (contents) return { contents };
    }
    throw new ResourceNotFoundError(
      uri,
      `There is no resource ${uri}: it has expired, or is not yours. resources/list lists those that there are.`,
    );
  });
}

/** A page goes on behind the resource that its cursor names. */
function pageOf(resources: readonly Resource[], cursor: string | undefined): ListResourcesResult {
  const last = cursor === undefined ? -1 : resources.findIndex(({ uri }) => uri === cursor);
  if (cursor !== undefined && last < 0) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor is no longer valid. List the resources from the start.',
    );
  }
  const page = resources.slice(last + 1, last + 1 + PAGE_LENGTH);
  const next = last + 1 + PAGE_LENGTH < resources.length ? page.at(-1) : undefined;
  return { resources: page, ...(next ? { nextCursor: next.uri } : {}) };
}

function invalidParams(error: unknown): never {
  if (!(error instanceof PwpoolError)) throw error;
  const { message, hint, details } = error;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    hint === undefined ? message : `${message} ${hint}`,
    details,
  );
}
