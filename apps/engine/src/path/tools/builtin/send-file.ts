import { sanitizeFileName } from '#libs/sanitizer';
import type { ServiceClient } from '#libs/service-kit';
import { createHash } from 'node:crypto';
import type { DocumentRepository } from '../../../knowledge/document.repository.js';
import type { FileLimits, TurnFiles } from '../../replies/turn-file.repository.js';
import type { StepRepository } from '../../steps/step.repository.js';
import { failure, isFailure, type ToolFailure, type TurnScope } from '../tool.js';
import type { BuiltinWork } from './builtin-library.js';
import { readerOf } from './knowledge-tools.js';
import { fetchAttachment } from './read-attachment.js';

interface SentFile {
  name: string;
  contentType: string;
  bytes: Buffer;
}

export interface FileSources {
  files: TurnFiles;
  documents: DocumentRepository;
  steps: StepRepository;
  gateway: ServiceClient;
  router: ServiceClient;
}

/** Of files that an agent writes. */
const textTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};
const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const sources = ['text', 'document_id', 'attachment_id', 'result', 'image'] as const;

/** `send_file`: attaches a file to the turn's answer, which the delivery of the answer carries. */
export function sendFile(from: FileSources, limits: FileLimits): BuiltinWork {
  return {
    external: false,
    run: async (args, { turn }) => {
      if (!turn.takesFiles) return failure('channel_takes_no_files', noFilesWords);
      const given = sources.filter((source) => args[source] !== undefined);
      const [source] = given;
      if (source === undefined || given.length > 1)
        return failure('invalid_arguments', `Give one of ${sources.join(', ')}.`);
      const file = await read[source](from, turn, args, limits);
      if (isFailure(file)) return file;
      if (file.bytes.length === 0) return failure('empty_file', 'The file is empty.');
      const name = sanitizeFileName(file.name).name;
      const sha256 = createHash('sha256').update(file.bytes).digest('hex');
      const row = { turn_id: turn.turnId, sha256, name, content_type: file.contentType, content: file.bytes };
      const count = await from.files.attach(row, limits);
      if (count !== null) return { attached: name, bytes: file.bytes.length, files: count };
      const most = `An answer has at most ${limits.files} files of ${limits.bytes} bytes together`;
      return failure('too_many_files', `${most}: write the rest as text.`);
    },
  };
}

export const noFilesWords = 'This channel takes no files: write what matters into your answer.';

type Read = (
  from: FileSources,
  turn: TurnScope,
  args: Record<string, unknown>,
  limits: FileLimits,
) => Promise<SentFile | ToolFailure>;

const read: Readonly<Record<(typeof sources)[number], Read>> = {
  text: (_from, _turn, args) => Promise.resolve(written(args, String(args['text']))),

  document_id: async ({ documents, router }, turn, args, { bytes: most }) => {
    const by = { id: String(args['document_id']), title: null };
    const as = await readerOf(turn, router);
    const found = await documents.read(turn, as.reader, by, 0, most + 1);
    if (!found) return failure('document_not_found', as.note ?? 'There is no such document here.');
    // What is kept of a document is its text.
    return written({ name: args['name'] ?? `${found.title.replace(/\.\w{1,5}$/, '')}.md` }, found.text);
  },

  attachment_id: async ({ gateway }, turn, args) => {
    const attachment = turn.attachments.find(({ id }) => id === args['attachment_id']);
    if (!attachment) return failure('attachment_not_found', 'The current event has no such attachment.');
    const fetched = await fetchAttachment(gateway, turn, attachment);
    if ('error' in fetched) return fetched;
    const { bytes, contentType } = fetched;
    return { name: attachment.name || 'file', contentType, bytes };
  },

  result: async ({ steps }, turn, args, { bytes: most }) => {
    const part = await steps.partOfResult(turn.turnId, String(args['result']), 0, most + 1);
    if (!part) return failure('result_not_found', 'No result of this turn has this handle.');
    return written({ name: args['name'] ?? `${String(args['result'])}.txt` }, part.text);
  },

  image: async ({ files }, turn, args) => {
    const image = await files.shownImage(turn.turnId, Number(args['image']));
    if (!image) return failure('image_not_found', 'Tools have shown fewer images in this turn.');
    const { bytes, mediaType: contentType } = image;
    return { name: `image-${Number(args['image'])}.${endings[contentType] ?? 'bin'}`, contentType, bytes };
  },
};

function written({ name: given }: Record<string, unknown>, text: string): SentFile | ToolFailure {
  const name = typeof given === 'string' ? given : 'file.txt';
  const contentType = textTypes[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (contentType === undefined) return failure('invalid_arguments', 'The name ends in .txt, .md or .csv.');
  return { name, contentType, bytes: Buffer.from(text.replaceAll('\0', '\ufffd').toWellFormed()) };
}
