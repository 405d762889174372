import {
  ARTIFACT_TEMPLATE,
  type Artifacts,
  type Client,
  describeArtifact,
  parseArtifactUri,
} from '@pwpool/core/internal';
import type { ResourceSource } from './resources.js';

/** The artifacts of one client: what answers link. To callers that nobody knows apart none is listed that they do not name. */
export function artifactResources(
  artifacts: Artifacts,
  { id, artifactOwner = id, secret }: Client,
): ResourceSource {
  return {
    list: () => (secret === undefined ? artifacts.list(artifactOwner).map(describeArtifact) : []),
    templates: [
      {
        uriTemplate: ARTIFACT_TEMPLATE,
        name: 'artifact',
        title: 'Part of an artifact',
        description:
          'length bytes from offset on of what an answer links, such as a screenshot or a long text',
      },
    ],
    read: async (uri) => {
      const reference = parseArtifactUri(uri);
      if (!reference) return undefined;
      const found = await artifacts.read(artifactOwner, reference.id, reference);
      if (!found) return 'not found';
      const { artifact, content } = found;
      const { mimeType } = artifact;
      return [
        typeof content === 'string'
          ? { uri, mimeType, text: content }
          : { uri, mimeType, blob: content.toString('base64') },
      ];
    },
  };
}
