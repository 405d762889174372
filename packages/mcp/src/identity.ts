import type { Implementation, McpRequestContext } from '@modelcontextprotocol/server';
import { VERSION } from './version.js';

/** What a client shows of the server to a person: three windows. */
const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="#dfeaff" stroke="#2456c7" stroke-width="3">' +
      '<rect x="14" y="4" width="30" height="24" rx="3"/><rect x="9" y="12" width="30" height="24" rx="3"/>' +
      '<rect x="4" y="20" width="30" height="24" rx="3"/><path d="M4 27h30"/></svg>',
  );

/** What the server calls itself. Clients of the modern era have it with each answer, where a picture would cost them its bytes each time. */
export function identityFor(era: McpRequestContext['era']): Implementation {
  const identity = { name: 'pwpool', version: VERSION };
  return era === 'modern'
    ? identity
    : {
        ...identity,
        title: 'pwpool: browsers from a pool',
        icons: [{ src: ICON, mimeType: 'image/svg+xml', sizes: ['any'] }],
      };
}
