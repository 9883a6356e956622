import type { AttachedFile } from '../attached-files.js';
import type { DeliverFailure } from '../delivery.js';
import type { HeaderMap } from '../header-lookup.js';
import { parseKeepingNumbers } from '../json-numbers.js';
import { parseJson } from '../json-value.js';
import { lostCall } from './lost-call.js';
import { isLostCall, type ProviderHttp } from './provider-http.js';
import { repeatedCall } from './repeated-call.js';

export interface ProviderRequest {
  url: string;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  /** Sent as the JSON body. */
  json?: unknown;
  /** Sent as a form, for the methods of an API that read nothing else. */
  form?: Record<string, string>;
  /** Sent as they are. */
  bytes?: { content: Buffer; type: string };
  /** Sent as a form with a file. */
  multipart?: MultipartForm;
  /** Default 1 MiB. A larger answer counts as lost. */
  maxAnswerBytes?: number;
  /** Whether another attempt does no harm: it changes nothing, or the same. Default: for GET. */
  repeatable?: boolean;
  /** A number that a double does not hold comes as its digits: ids may be that long. */
  keepNumbers?: boolean;
}

export interface MultipartForm {
  fields: Record<string, string>;
  file: AttachedFile & { field: string };
}

export interface ProviderAnswer {
  status: number;
  headers: HeaderMap;
  /** The parsed body; undefined when it is not JSON. */
  json: unknown;
}

const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * One call of a provider's API: its answer, whatever the status, or the failure of a call that gave none. A call that
 * may be repeated is, within the time of the call.
 */
export async function callProvider(
  http: ProviderHttp,
  request: ProviderRequest,
): Promise<ProviderAnswer | DeliverFailure> {
  const content = await contentOf(request);
  const method = request.method ?? (content ? 'POST' : 'GET');
  const sent = {
    method,
    headers: { ...(content && { 'content-type': content.type }), ...request.headers },
    ...(content && { body: content.body }),
    maxResponseBytes: request.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    onTooLarge: 'fail',
    // A credential must not follow a redirect.
    maxRedirects: 0,
  } as const;
  try {
    const answer = await repeatedCall(http, request.url, sent, request.repeatable ?? method === 'GET');
    return {
      status: answer.status,
      headers: answer.headers,
      json: parseJson(
        Buffer.from(answer.body).toString('utf8'),
        request.keepNumbers ? parseKeepingNumbers : JSON.parse,
      ),
    };
  } catch (error) {
    if (isLostCall(error)) return lostCall(error);
    throw error;
  }
}

async function contentOf({
  json,
  form,
  bytes,
  multipart,
}: ProviderRequest): Promise<{ type: string; body: string | Buffer } | undefined> {
  if (multipart) return multipartBody(multipart);
  if (bytes) return { type: bytes.type, body: bytes.content };
  if (form) return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  return json === undefined ? undefined : { type: 'application/json; charset=utf-8', body: JSON.stringify(json) };
}

/** The body of a `multipart/form-data` request (RFC 7578) and its content type, which names the boundary. */
async function multipartBody({ fields, file }: MultipartForm): Promise<{ type: string; body: Buffer }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(file.field, new Blob([file.bytes], { type: file.contentType }), file.name);
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', body: Buffer.from(await encoded.arrayBuffer()) };
}
