import { Problem, type ServiceClient } from '#libs/service-kit';
import { failure, type ToolFailure, type TurnAttachment, type TurnScope } from '../tool.js';
import type { DocumentReader } from '../../../documents/document-reader.service.js';

type Fetched = { content_base64: string; content_type: string } | { ok: false; error: string };

export interface AttachmentText {
  name: string;
  text: string;
  /** What a reader has to know about its charset. */
  note: string | null;
}

/**
 * The text of a file that came with the turn's own event. No other file can be named, so a sender can only have its own
 * files read. The gateway fetches it through the App's adapter.
 */
export async function readAttachment(
  gateway: ServiceClient,
  reader: DocumentReader,
  turn: TurnScope,
  id: string,
): Promise<AttachmentText | ToolFailure> {
  const attachment = turn.attachments.find((each) => each.id === id);
  if (!attachment) return failure('attachment_not_found', 'The current event has no such attachment.');
  const { name, contentType } = attachment;
  const fetched = await fetchAttachment(gateway, turn, attachment);
  if ('error' in fetched) return fetched;
  // The sender's program knows the type better than a provider that only knows bytes.
  const type = fetched.contentType === 'application/octet-stream' ? contentType : fetched.contentType;
  const read = await reader.read(fetched.bytes, type, name);
  if ('refused' in read) return refused(read.refused);
  return { name, ...read };
}

/** The bytes of a file that came with the turn's event. */
export async function fetchAttachment(
  gateway: ServiceClient,
  turn: Pick<TurnScope, 'organizationId' | 'projectId' | 'appId'>,
  { fetchRef }: TurnAttachment,
): Promise<{ bytes: Buffer; contentType: string } | ToolFailure> {
  if (fetchRef === null) return failure('attachment_not_kept', 'Files of this channel cannot be fetched.');
  try {
    const call = { app_id: turn.appId, resource_path: '', file_path: fetchRef };
    const fetched = await gateway.post<Fetched>('/internal/adapter-calls/fetch-file', turn, call);
    if (!('content_base64' in fetched)) return refused(fetched.error);
    return { bytes: Buffer.from(fetched.content_base64, 'base64'), contentType: fetched.content_type };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return failure('attachment_unavailable', 'The file cannot be fetched at the moment.');
  }
}

function refused(why: string): ToolFailure {
  if (why === 'not_text') return failure('not_text', 'The file has no text that can be read.');
  if (why === 'too_large') return failure('too_large', 'The file is too large to be read.');
  if (why === 'not_found') return failure('attachment_not_found', 'The file is no longer there.');
  return failure('attachment_unavailable', 'The file cannot be read.');
}
