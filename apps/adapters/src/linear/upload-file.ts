import {
  type AttachedFile,
  callProvider,
  type Credentials,
  type DeliverFailure,
  deliverFailure,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { escaped } from './linear-dialect.js';
import { callLinear, type LinearSettings } from './linear-api.js';

const UPLOAD = `mutation FileUpload($contentType: String!, $filename: String!, $size: Int!) {
  fileUpload(contentType: $contentType, filename: $filename, size: $size) {
    success uploadFile { uploadUrl assetUrl headers { key value } }
  }
}`;

/**
 * Uploads a file to the workspace's own storage, whose addresses only its members can open.
 * Source: https://linear.app/developers/how-to-upload-a-file-to-linear
 * @returns the Markdown that shows it: a picture, or a link
 */
export async function uploadFile(
  { name, contentType, bytes }: AttachedFile,
  credentials: Credentials,
  settings: LinearSettings,
): Promise<{ ok: true; markdown: string } | DeliverFailure> {
  const variables = { contentType, filename: name, size: bytes.byteLength };
  const place = await callLinear({ name: 'FileUpload', query: UPLOAD, variables }, credentials, settings);
  if (!place.ok) return place;
  const { uploadUrl, assetUrl, headers } = objectOf(objectOf(place.data.fileUpload).uploadFile);
  const [upload, asset] = [URL.parse(textOf(uploadUrl) ?? ''), URL.parse(textOf(assetUrl) ?? '')];
  if (!upload || !asset) return deliverFailure('provider_unavailable', 'Linear answered without a place for the file');
  const given = objectsOf(headers).flatMap(({ key, value }) => {
    const [header, text] = [textOf(key), textOf(value)];
    return header !== undefined && text !== undefined ? [[header.toLowerCase(), text] as const] : [];
  });
  // The address is the permission: no key goes there.
  const stored = await callProvider(settings, {
    url: upload.href,
    method: 'PUT',
    headers: { 'cache-control': 'public, max-age=31536000', ...Object.fromEntries(given) },
    bytes: { content: bytes, type: contentType },
    repeatable: true,
  });
  if ('ok' in stored) return stored;
  if (stored.status < 200 || stored.status > 299) {
    return deliverFailure('provider_unavailable', `Linear’s storage answered ${stored.status} to the file`);
  }
  const link = `[${escaped(name)}](${asset.href.replaceAll(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))})`;
  return { ok: true, markdown: contentType.startsWith('image/') ? `!${link}` : link };
}
