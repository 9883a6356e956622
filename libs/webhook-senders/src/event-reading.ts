import { filledTemplate, jsonPointerGet, type ReceivedRequest, RequestValues } from '#libs/adapter-sdk';
import type { EventReading } from '#libs/contracts';

/** What was read of one event. */
export interface ReadEvent {
  event_type: string | null;
  dedup_key: string | null;
  sender: string | null;
  text: string | null;
  /** The entry of a list that it is about; undefined where the whole body is the event. */
  item?: unknown;
}

/** The events of a request: one, or those of a list. */
export function readEvents(reading: EventReading, request: ReceivedRequest): ReadEvent[] {
  const values = new RequestValues(request);
  if (reading.items === undefined) return [read(reading, values)];
  const items = itemsAt(values.document, reading.items);
  // Some events of a sender come alone.
  if (items === null) return [read(reading, values)];
  return items.map((item) => ({ ...read(reading, values.within(item)), item }));
}

function read(reading: EventReading, values: RequestValues): ReadEvent {
  const first = (templates: string[] | undefined): string | null => {
    for (const template of templates ?? []) {
      const text = filledTemplate(template, values);
      if (text !== undefined) return text;
    }
    return null;
  };
  return {
    event_type: first(reading.event_type),
    dedup_key: first(reading.dedup_key),
    sender: first(reading.sender),
    text: first(reading.text),
  };
}

/** The entries of the list or lists at a pointer; null when there is no list. */
function itemsAt(document: unknown, pointer: string): unknown[] | null {
  let found: unknown[] = [document];
  for (const step of pointer.split('/*')) {
    const lists = found.map((each) => jsonPointerGet(each, step)).filter((each) => Array.isArray(each));
    if (lists.length === 0) return null;
    found = lists.flat();
  }
  return found;
}
