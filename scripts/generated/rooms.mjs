import { describeImports, readRooms } from '../layers/rooms.mjs';
import { ROOT } from '../workspace.mjs';
import { markdownTable } from './markdown.mjs';

/** What each room of core holds. */
export function roomTable() {
  return markdownTable(
    ['Room', 'What it holds'],
    coreRooms().map(({ room, holds }) => [nameOf(room), holds]),
  );
}

/** What each room of core imports, as `npm run layers` prints it. */
export function importTable() {
  const rooms = coreRooms();
  return markdownTable(
    ['Room', 'Imports'],
    rooms.map((entry) => [nameOf(entry.room), describeImports(entry, rooms).replaceAll('.ts', '')]),
  );
}

function coreRooms() {
  return readRooms(ROOT).filter(({ holds }) => holds !== undefined);
}

function nameOf(room) {
  return room.includes('.') ? `\`${room}\`` : `\`${room}/\``;
}
