import type { ToolResult } from '../connection/tool-connection.js';
import type { Artifact } from './artifacts.js';
import { sizeText } from './sizes.js';

type ResourceLink = Extract<ToolResult['content'][number], { type: 'resource_link' }>;

/** An artifact as MCP describes a resource. */
export function describeArtifact({ uri, name, mimeType, size, expiresAt }: Artifact) {
  const expiry = new Date(expiresAt).toISOString();
  return {
    uri,
    name,
    mimeType,
    size,
    description: `${sizeText(size)}, until ${expiry.slice(0, 16).replace('T', ' ')} UTC`,
    _meta: { expiresAt: expiry },
  };
}

/** The link to an artifact, as a part of an answer. */
export function artifactLink(artifact: Artifact): ResourceLink {
  return { type: 'resource_link', ...describeArtifact(artifact) };
}
