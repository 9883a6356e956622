import { Problem, type ServiceClient } from '#libs/service-kit';
import { failure, type ToolFailure, type TurnScope } from '../tool.js';
import { documentText } from '../../../knowledge/document-text.js';

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
  turn: TurnScope,
  id: string,
  maxChars: number,
): Promise<AttachmentText | ToolFailure> {
  const attachment = turn.attachments.find((each) => each.id === id);
  if (!attachment) return failure('attachment_not_found', 'The current event has no such attachment.');
  const { name, contentType, fetchRef } = attachment;
  if (fetchRef === null) return failure('attachment_not_kept', 'Files of this channel cannot be fetched.');
  let fetched: Fetched;
  try {
    const call = { app_id: turn.appId, resource_path: '', file_path: fetchRef };
    fetched = await gateway.post<Fetched>('/internal/adapter-calls/fetch-file', turn, call);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return failure('attachment_unavailable', 'The file cannot be fetched at the moment.');
  }
  if (!('content_base64' in fetched)) return refused(fetched.error);
  // The sender's program knows the type better than a provider that only knows bytes.
  const type = fetched.content_type === 'application/octet-stream' ? contentType : fetched.content_type;
  const read = documentText(Buffer.from(fetched.content_base64, 'base64'), type, name, maxChars);
  if ('refused' in read) return refused(read.refused);
  return { name, ...read };
}

function refused(why: string): ToolFailure {
  if (why === 'not_text') return failure('not_text', 'The file is not text, so it cannot be read.');
  if (why === 'too_large') return failure('too_large', 'The file is too large to be read.');
  if (why === 'not_found') return failure('attachment_not_found', 'The file is no longer there.');
  return failure('attachment_unavailable', 'The file cannot be read.');
}
