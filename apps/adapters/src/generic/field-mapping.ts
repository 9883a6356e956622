import { isJsonObject, isJsonPointer, jsonPointerGet, parseJson, wholeNumberAsText } from '#libs/adapter-sdk';

/** Where each field of a message is looked up, in order, unless the App's mapping names another place. */
const DEFAULT_POINTERS = {
  event_type: ['/event_type', '/metadata/event_type'],
  sender: ['/sender', '/metadata/source'],
  message: ['/message', '/text', '/task'],
  dedup_key: ['/id'],
  thread_id: ['/thread_id'],
  channel_address: ['/reply_to'],
  account: ['/account'],
  is_dm: ['/is_dm'],
  metadata: ['/metadata'],
} as const;

export type MappedField = keyof typeof DEFAULT_POINTERS;
export type FieldMapping = Readonly<Record<MappedField, readonly string[]>>;

const FIELDS = Object.keys(DEFAULT_POINTERS) as MappedField[];

/** The mapping of `credentials.mapping`: an object or its JSON text, each entry a pointer or a list of pointers. */
export function readMapping(value: unknown): { mapping: FieldMapping } | { problem: string } {
  if (value === undefined || value === null || value === '') return { mapping: DEFAULT_POINTERS };
  const given = typeof value === 'string' ? parseJson(value) : value;
  if (!isJsonObject(given)) return { problem: 'mapping must be a JSON object from field name to JSON pointer' };
  const unknown = Object.keys(given).find((name) => !FIELDS.some((field) => field === name));
  if (unknown !== undefined) return { problem: `mapping has an unknown field; known are ${FIELDS.join(', ')}` };

  const mapping: Record<MappedField, readonly string[]> = { ...DEFAULT_POINTERS };
  for (const field of FIELDS) {
    const entry = given[field];
    if (entry === undefined || entry === null) continue;
    const pointers: unknown[] = Array.isArray(entry) ? entry : [entry];
    if (!pointers.every((pointer) => typeof pointer === 'string' && isJsonPointer(pointer))) {
      return { problem: `mapping.${field} must be a JSON pointer, for example /data/${field}` };
    }
    mapping[field] = pointers.filter((pointer) => typeof pointer === 'string');
  }
  return { mapping };
}

/** The first value that one of the field's pointers leads to; null counts as absent. */
export function mappedValue(document: unknown, mapping: FieldMapping, field: MappedField): unknown {
  for (const pointer of mapping[field]) {
    const value = jsonPointerGet(document, pointer);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** The same, as text: numbers and booleans are written out, anything else is absent. */
export function mappedText(document: unknown, mapping: FieldMapping, field: MappedField): string | undefined {
  const value = wholeNumberAsText(mappedValue(document, mapping, field));
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
