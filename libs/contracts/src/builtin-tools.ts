import type { ToolGrade } from './toolset.js';

/** A tool of the standard library, defined here and implemented in the engine. */
export interface BuiltinTool {
  name: string;
  title: string;
  description: string;
  input_schema: Record<string, unknown>;
  /** The least that a call can change; a particular call may change more (`http_request` with POST writes). */
  grade: ToolGrade;
  idempotent: boolean;
  /** Needs a credential that a Skill binds under this name; null: works without one. */
  credential: string | null;
}

const object = (required: string[], properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const text = (maxLength: number, description?: string): Record<string, unknown> => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...(description ? { description } : {}),
});

const credential = text(128, 'Name of a credential of the Skill; left out when one alone fits');
const addresses = { type: 'array', minItems: 1, maxItems: 20, items: text(320) };

/** The standard tool library (spec 1, 4.5). Skills and agents refer to these; no Skill may use the names otherwise. */
export const builtinTools: readonly BuiltinTool[] = [
  {
    name: 'http_request',
    title: 'HTTP request',
    description:
      'Makes one HTTP request and returns {status, headers, body, truncated}. A credential is added by the platform, and goes to its own hosts alone; `note` says when a request went out without one.',
    grade: 'read',
    idempotent: false,
    credential: null,
    input_schema: object(['method', 'url'], {
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'DELETE'] },
      url: { type: 'string', maxLength: 8192, description: 'An absolute http or https URL' },
      headers: { type: 'object', additionalProperties: { type: 'string', maxLength: 8192 }, maxProperties: 50 },
      query: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        maxProperties: 100,
        description: 'Added to the query of the URL',
      },
      body: { description: 'Text as it is; any other JSON value is sent as application/json' },
      credential: text(
        128,
        "Name of a credential of the Skill; left out: the one that is bound to the URL's host, if any",
      ),
      timeout_ms: { type: 'integer', minimum: 1, maximum: 60000 },
    }),
  },
  {
    name: 'send_email',
    title: 'Send an email',
    description: 'Sends one plain-text email through the mail account of the Skill and returns {accepted, message_id}.',
    grade: 'write',
    idempotent: false,
    credential: 'smtp',
    input_schema: object(['to', 'subject', 'text'], {
      to: addresses,
      cc: addresses,
      subject: text(998),
      text: text(100_000),
      reply_to: text(320),
      credential,
    }),
  },
  {
    name: 'web_search',
    title: 'Search the web',
    description: 'Searches the web and returns {results: [{title, url, excerpt}]}.',
    grade: 'read',
    idempotent: true,
    credential: 'search',
    input_schema: object(['query'], {
      query: text(400),
      count: { type: 'integer', minimum: 1, maximum: 20 },
      credential,
    }),
  },
  {
    name: 'read_file',
    title: 'Read a document',
    description:
      "Reads a document of the project's knowledge by id or title, or an attachment of the current event by its id, a part at a time: {id, title, text, next_offset, trust}.",
    grade: 'read',
    idempotent: true,
    credential: null,
    input_schema: object([], {
      document_id: text(100),
      title: text(300, 'Instead of the id'),
      attachment_id: text(300, "Instead of a document: id of one of the event's metadata attachments"),
      offset: { type: 'integer', minimum: 0, maximum: 100_000_000, description: 'Characters to skip' },
      max_chars: { type: 'integer', minimum: 100, maximum: 30_000 },
    }),
  },
  {
    name: 'send_file',
    title: 'Send a file',
    description:
      'Attaches one file to your answer, which goes out with it: {attached, bytes, files}. Give what is in it: text that you write, a document of the knowledge, an attachment of the current event, the whole of a result that was shortened, or an image that a tool has shown.',
    grade: 'write',
    idempotent: true,
    credential: null,
    input_schema: object([], {
      name: text(120, 'Name of the file; for text it ends in .txt, .md or .csv'),
      text: text(500_000, 'What the file holds'),
      document_id: text(100, 'Instead of text: a document of the knowledge'),
      attachment_id: text(300, "Instead of text: id of one of the event's metadata attachments"),
      result: text(60, 'Instead of text: the handle of a result that was shortened'),
      image: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'Instead of text: which image of tools, from 1',
      },
    }),
  },
  {
    name: 'send_interim',
    title: 'Say something meanwhile',
    description:
      'Tells the person who waits, in one short sentence, what you are doing, before your answer: {sent}. Call it once, in front of work that takes long; never for the answer itself.',
    // It says nothing that the answer could not say, to nobody else.
    grade: 'read',
    idempotent: true,
    credential: null,
    input_schema: object(['text'], { text: text(500, 'In the language of the person, without links') }),
  },
  {
    name: 'store_knowledge',
    title: 'Store knowledge',
    description:
      'Keeps a text, and entities with their relations, so that later turns find them. Its origin is recorded automatically.',
    grade: 'write',
    idempotent: true,
    credential: null,
    input_schema: object([], {
      title: text(300),
      text: text(100_000),
      entities: {
        type: 'array',
        maxItems: 100,
        items: object(['name'], { name: text(200), kind: text(60), description: text(1_000) }),
      },
      relations: {
        type: 'array',
        maxItems: 200,
        items: object(['from', 'relation', 'to'], { from: text(200), relation: text(60), to: text(200) }),
      },
    }),
  },
  {
    name: 'query_knowledge_graph',
    title: 'Query the knowledge graph',
    description:
      'Finds documents by words, the neighbours of an entity, or paths between two entities. What is marked untrusted was learnt from untrusted senders.',
    grade: 'read',
    idempotent: true,
    credential: null,
    input_schema: object([], {
      query: text(400, 'Words to look for in documents'),
      entity: text(200, 'Its neighbours; with `to`: paths from it'),
      to: text(200),
      depth: { type: 'integer', minimum: 1, maximum: 4 },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
    }),
  },
  {
    name: 'remember',
    title: 'Remember',
    description:
      'Keeps one fact about the contact who writes, for all later conversations with this contact: what it prefers, decided or was promised. People of the project can read it. Returns {memory_id}.',
    grade: 'write',
    idempotent: true,
    credential: null,
    input_schema: object(['text'], {
      text: text(1_000, 'One fact, in a sentence that is understood by itself'),
      expires_in_days: { type: 'integer', minimum: 1, maximum: 3_650, description: 'Left out: it does not expire' },
    }),
  },
  {
    name: 'forget',
    title: 'Forget',
    description: 'Deletes what was remembered of the contact who writes and is wrong or over: {forgotten}.',
    grade: 'write',
    idempotent: true,
    credential: null,
    input_schema: object(['memory_id'], { memory_id: text(100, 'As it stands before the fact') }),
  },
];
