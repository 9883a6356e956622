import type { DocumentAccess } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import type { BuiltinWork } from './builtin-library.js';
import { type CallSite, failure, isFailure, noteIn, type ReadDocument, type TurnScope } from '../tool.js';
import type { DocumentRepository, Reader } from '../../../knowledge/document.repository.js';
import type { DocumentSearch } from '../../../knowledge/document-search.repository.js';
import type { Facts } from '../../../knowledge/fact-rows.js';
import type { GraphRepository } from '../../../knowledge/graph.repository.js';
import type { DocumentReader } from '../../../documents/document-reader.service.js';
import { readAttachment } from './read-attachment.js';

const defaultChars = 12_000;

/** `read_file`: reads a document of the project's knowledge or an attachment of the event, a part at a time. */
export function readFile(
  documents: DocumentRepository,
  { gateway, router }: { gateway: ServiceClient; router: ServiceClient },
  reader: DocumentReader,
): BuiltinWork {
  return {
    external: true,
    trustOf: (result) => (isMarkedUntrusted(result) ? 'untrusted' : 'own'),
    documents: documentsIn,
    run: async (args, { turn }) => {
      const offset = Number(args['offset'] ?? 0);
      const chars = Number(args['max_chars'] ?? defaultChars);
      const attachment = textOr(args['attachment_id']);
      if (attachment !== null) {
        const read = await readAttachment(gateway, reader, turn, attachment);
        if (isFailure(read)) return read;
        const text = read.text.slice(offset, offset + chars).toWellFormed();
        const next = offset + text.length < read.text.length ? offset + text.length : null;
        return {
          attachment_id: attachment,
          title: read.name,
          text,
          next_offset: next,
          trust: 'untrusted',
          source: 'event',
          ...(read.note === null ? {} : { note: read.note }),
        };
      }
      const by = { id: textOr(args['document_id']), title: textOr(args['title']) };
      if (by.id === null && by.title === null)
        return failure('invalid_arguments', 'Give document_id, title or attachment_id.');
      const as = await readerOf(turn, router);
      const found = await documents.read(turn, as.reader, by, offset, chars);
      if (!found) return failure('document_not_found', as.note ?? 'There is no such document here.');
      const next = offset + found.text.length;
      const { id, title, text, trust, source, chars: all } = found;
      return { id, title, text, next_offset: next < all ? next : null, trust, source };
    },
  };
}

/**
 * `store_knowledge`: stores text with its turn as the origin. It is untrusted if untrusted senders contributed to the
 * turn.
 */
export function storeKnowledge(documents: DocumentRepository, maxChars: number): BuiltinWork {
  return {
    external: false,
    run: async (args, call) => {
      const { turn } = call;
      const entities = (args['entities'] ?? []) as Facts['entities'];
      const relations = (args['relations'] ?? []) as Facts['relations'];
      const text = textOr(args['text']) ?? '';
      if (text === '' && entities.length + relations.length === 0) {
        return failure('invalid_arguments', 'Give a text, entities or relations.');
      }
      if (text.length > maxChars) return failure('too_large', `A document has at most ${maxChars} characters.`);
      const { id, isNew } = await documents.store(
        turn,
        {
          title: textOr(args['title']) ?? (text.slice(0, 80).split('\n')[0] || 'Facts'),
          content: text.replaceAll('\0', '\ufffd').toWellFormed(),
          source: 'turn',
          uri: null,
          trust: isTainted(call) ? 'untrusted' : 'known',
          ...(await accessOf(turn, documents)),
          provenance: { turn_id: turn.turnId, receipt_id: turn.receiptId, agent_id: turn.agentId, sender: turn.sender },
        },
        { entities, relations },
      );
      return { document_id: id, stored: isNew };
    },
  };
}

/**
 * `query_knowledge_graph`: searches documents for words, lists an entity's neighbours, or finds paths between two
 * entities.
 */
export function queryKnowledgeGraph(
  search: DocumentSearch,
  graph: GraphRepository,
  router: ServiceClient,
): BuiltinWork {
  return {
    external: true,
    trustOf: (result) => (isMarkedUntrusted(result) ? 'untrusted' : 'own'),
    documents: documentsIn,
    noted: noteIn,
    run: async (args, { turn }) => {
      const { reader, note: unasked } = await readerOf(turn, router);
      const limit = Number(args['limit'] ?? 10);
      const depth = Number(args['depth'] ?? 2);
      const [query, name, toName] = [textOr(args['query']), textOr(args['entity']), textOr(args['to'])];
      if (query === null && name === null) return failure('invalid_arguments', 'Give query or entity.');
      const { found, note } =
        query === null ? { found: null, note: null } : await search.search(turn, { reader, payer: turn }, query, limit);
      const notes = [note, unasked].filter((one) => one !== null);
      const documentsFound = { ...(found && { documents: found }), ...(notes.length > 0 && { note: notes.join(' ') }) };
      if (name === null) return documentsFound;
      const entity = await graph.entity(turn, reader, name);
      if (!entity) return { ...documentsFound, entity: null };
      const { id, ...shown } = entity;
      if (toName === null) {
        return { ...documentsFound, entity: shown, relations: await graph.neighbours(turn, reader, id, depth, limit) };
      }
      const to = await graph.entity(turn, reader, toName);
      const paths = to ? await graph.paths(turn, reader, id, to.id, depth, limit) : [];
      return { ...documentsFound, entity: shown, paths };
    },
  };
}

/** The documents that a result names, each once, with the title where the result has it. */
function documentsIn(result: unknown): ReadDocument[] {
  const found = new Map<string, string | null>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const { document_id: named, id, title } = value as Record<string, unknown>;
    const key = textOr(named) ?? textOr(id);
    if (key?.startsWith('doc_')) found.set(key, found.get(key) ?? textOr(title));
    Object.values(value).forEach(visit);
  };
  visit(result);
  return [...found].map(([id, title]) => ({ id, title }));
}

/**
 * As whom a turn reads. What only some may read is found for a known contact, in a conversation that nobody else reads:
 * elsewhere the answer would show it to others.
 */
export async function readerOf(
  turn: TurnScope,
  router: ServiceClient,
): Promise<{ reader: Reader; note: string | null }> {
  if (!turn.trusted) return { reader: ['everyone'], note: null };
  const known = ['everyone', 'known'];
  if (turn.contactId === null || !turn.isPrivate) return { reader: known, note: null };
  try {
    const path = `/internal/contacts/${turn.contactId}/reads-as`;
    const { reads_as: own } = await router.get<{ reads_as: string[] }>(path, turn);
    return { reader: [...known, ...own], note: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { reader: known, note: error.status === 404 ? null : unasked };
  }
}

const unasked =
  'Documents that only some people may read were left out: as whom the contact reads could not be asked at the moment.';

/** A text may repeat what the turn has read: whoever may not read all of that may not read it either. */
async function accessOf(turn: TurnScope, documents: DocumentRepository): Promise<DocumentAccess> {
  const readers = await documents.readersOfWindow(turn);
  return readers === null ? { audience: 'known', readers: [] } : { audience: 'listed', readers };
}

/** What a caller of the built-in App sends is not the project's own statement, whoever wrote it. */
function isTainted({ turn, window }: CallSite): boolean {
  return window !== 'own' || turn.trust !== 'known' || !turn.trusted;
}

/** Whether the result contains a document, fact or path that was learnt from untrusted senders. */
function isMarkedUntrusted(result: unknown): boolean {
  if (Array.isArray(result)) return result.some(isMarkedUntrusted);
  if (typeof result !== 'object' || result === null) return false;
  return Object.entries(result).some(
    ([key, value]) =>
      (key === 'trust' && value === 'untrusted') || (key === 'untrusted' && value === true) || isMarkedUntrusted(value),
  );
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
