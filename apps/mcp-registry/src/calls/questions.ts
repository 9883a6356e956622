import type { McpQuestion } from '#libs/contracts';
import { usableSchema } from '#libs/tool-schema';
import { McpError } from '../mcp/mcp-error.js';
import { plainText } from '../tools/plain-text.js';

const maxWords = 2_000;
const maxUrl = 4_096;
const maxFields = 30;
const maxAsked = 10;
const primitives = ['string', 'number', 'integer', 'boolean'];

/**
 * Reads what a server asks for before it goes on with a call. It may ask the user, in a form of plain fields or at a web
 * address of its own, and nothing else: sampling and roots are not declared.
 * @throws McpError `input_refused`
 */
export function readQuestions(requests: Record<string, unknown>): Record<string, McpQuestion> {
  const entries = Object.entries(requests);
  if (entries.length > maxAsked) throw refused(`${entries.length} things at once, more than ${maxAsked}`);
  return Object.fromEntries(entries.map(([key, request]) => [key, readQuestion(request)]));
}

function readQuestion(request: unknown): McpQuestion {
  const { method, params } = (request ?? {}) as { method?: unknown; params?: Record<string, unknown> };
  if (method !== 'elicitation/create') {
    throw refused(`${typeof method === 'string' ? method : 'something'}, which this client does not offer`);
  }
  const { mode = 'form', message, url, requestedSchema } = params ?? {};
  const words = typeof message === 'string' ? plainText(message).slice(0, maxWords) : '';
  if (mode === 'form') return { mode: 'form', message: words, schema: checkedForm(requestedSchema) };
  if (mode !== 'url') throw refused(`an answer in the mode ${JSON.stringify(mode)}, which this client does not offer`);
  return { mode: 'url', message: words, url: checkedUrl(url) };
}

/** Flat, as the protocol says: whoever answers reads a form, not a document. */
function checkedForm(schema: unknown): Record<string, unknown> {
  const { type, properties } = (schema ?? {}) as { type?: unknown; properties?: unknown };
  const fields = Object.entries((properties ?? {}) as Record<string, unknown>);
  if (type !== 'object' || fields.length > maxFields)
    throw refused(`a form that is none, or has over ${maxFields} fields`);
  for (const [name, field] of fields) if (!isPlain(field)) throw refused(`a field ${name} that is no plain value`);
  const { schema: usable, lost } = usableSchema(schema);
  if (lost.length > 0) throw refused(`a form that cannot be checked: ${lost[0]}`);
  return usable;
}

function isPlain(field: unknown): boolean {
  const { type, items } = (field ?? {}) as { type?: unknown; items?: { enum?: unknown; anyOf?: unknown } };
  if (type === 'array') return Array.isArray(items?.enum ?? items?.anyOf);
  return typeof type === 'string' && primitives.includes(type);
}

/** Nobody here opens it. A person who does must see where it leads. */
function checkedUrl(url: unknown): string {
  const parsed = typeof url === 'string' && url.length <= maxUrl && URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.password !== '')
    throw refused('that a web address be opened which is not https, or names a user');
  return parsed.href;
}

const refused = (what: string): McpError => new McpError('input_refused', `the server asks for ${what}`, true);
