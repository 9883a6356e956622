import { isJsonPointer, parseTemplate } from '#libs/adapter-sdk';
import { Problem, Text, TextList } from '#libs/service-kit';
import type { EventReading } from '#libs/contracts';

const maxTemplates = 20;
const maxLength = 500;
const list = (description: string): PropertyDecorator =>
  TextList(maxTemplates, maxLength, { optional: true, description });

/** Where the events of a sender have what the platform reads; the first template whose values are all there counts. */
export class EventReadingSettings implements EventReading {
  @list('What triggers match: templates such as {header:x-github-event}.{/action}. Default: webhook_received')
  event_type?: string[];
  @list('Names one event: a second one with the same is a duplicate') dedup_key?: string[];
  @list('Default: webhook') sender?: string[];
  @list('Text for people. Default: the whole payload') text?: string[];
  @Text(200, { optional: true, description: 'JSON pointer to a list of events, each a message of its own' })
  items?: string;
}

/** @throws Problem 422 `invalid_reading` for a template or pointer that nothing can be read by */
export function requireReading(reading: EventReading): EventReading {
  const { items, event_type, dedup_key, sender, text: texts } = reading;
  for (const [field, templates] of Object.entries({ event_type, dedup_key, sender, text: texts })) {
    for (const text of templates ?? []) {
      if (text !== '' && parseTemplate(text) !== null) continue;
      const detail = `${field} has a template that cannot be read: ${JSON.stringify(text)}. Use text with {/POINTER}, {?/POINTER}, {header:NAME} and {query:NAME}.`;
      throw new Problem(422, 'invalid_reading', detail);
    }
  }
  if (items === undefined || isJsonPointer(items)) return reading;
  throw new Problem(422, 'invalid_reading', `items is not a JSON pointer: ${JSON.stringify(items)}.`);
}
