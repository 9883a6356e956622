import {
  type AttachedFile,
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  type SentPart,
  callProvider,
} from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callSlack, type SlackSettings } from './slack-api.js';

/**
 * Uploads a file and shares it in the channel or the thread. Until the last of the three calls nobody sees it.
 * Source: https://docs.slack.dev/messaging/working-with-files#upload
 */
export async function uploadFile(
  { credentials, channel_address: channel, message }: DeliverCall,
  file: AttachedFile,
  settings: SlackSettings & { filesUrl: string },
): Promise<SentPart | DeliverFailure> {
  const form = { filename: file.name, length: String(file.bytes.length) };
  const place = await callSlack('files.getUploadURLExternal', { form }, credentials, settings);
  if (!place.ok) return place;
  const [url, id] = [URL.parse(textOf(place.fields.upload_url) ?? ''), textOf(place.fields.file_id)];
  if (id === undefined || url?.origin !== new URL(settings.filesUrl).origin) {
    return deliverFailure('provider_unavailable', 'Slack answered without an address of its own for the file');
  }
  // The address is the permission: no token goes there.
  const uploaded = await callProvider(settings, {
    url: url.href,
    multipart: { fields: {}, file: { ...file, field: 'file' } },
  });
  if ('ok' in uploaded) return uploaded;
  if (uploaded.status !== 200) {
    return deliverFailure('provider_unavailable', `Slack answered ${uploaded.status} to the file`);
  }
  const json = {
    files: [{ id, title: file.name }],
    channel_id: channel,
    ...(message.thread_id !== undefined && { thread_ts: message.thread_id }),
  };
  const shared = await callSlack('files.completeUploadExternal', { json }, credentials, settings);
  if (!shared.ok) return shared;
  return { messageId: textOf(objectsOf(shared.fields.files)[0]?.id) ?? id, threadId: message.thread_id };
}
