import * as z from 'zod';
import { browserStateSchema, cookieSchema, pageStateSchema } from './browser-state.js';

/** What was read of a browser, when, and behind how many answered calls that change something. */
function readingOf<T>(value: z.ZodType<T>) {
  return z.object({ at: z.number(), answers: z.number(), value });
}

/** What is known of a session's browser, in the parts in which it is learnt. */
export const CHECKPOINT_PARTS = {
  /** Where the pages are: what is known first, since nobody has to be asked. */
  pages: readingOf(z.array(pageStateSchema)),
  cookies: readingOf(z.array(cookieSchema)),
  state: readingOf(browserStateSchema),
};

export type CheckpointPart = keyof typeof CHECKPOINT_PARTS;

export type Checkpoint = { [Part in CheckpointPart]?: z.infer<(typeof CHECKPOINT_PARTS)[Part]> | undefined };

/** A session as it was asked for, and which sessions its client has; what their browsers hold is apart. */
export const clientRecordSchema = z.object({
  version: z.literal(1),
  sessions: z.array(
    z.object({
      id: z.string(),
      /** Names its files. */
      number: z.int(),
      pool: z.string(),
      instance: z.string().optional(),
      headless: z.boolean().optional(),
      root: z.string().optional(),
    }),
  ),
  /** The rest as `ClientSessions` has it. */
  named: z.boolean(),
  last: z.string().optional(),
  chosen: z.string().optional(),
  own: z.string().optional(),
});

export type ClientRecord = z.infer<typeof clientRecordSchema>;
export type SessionRecord = ClientRecord['sessions'][number];
