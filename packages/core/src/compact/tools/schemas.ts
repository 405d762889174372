import * as z from 'zod';

/** Parts that several tools' schemas have in common. */
export const REF = z.string().optional().describe('ref of browser_snapshot');

export const ELEMENT = z.object({ tag: z.string(), text: z.string(), id: z.string() });
