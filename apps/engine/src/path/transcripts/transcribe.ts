import { APICallError } from 'ai';
import { type Fetch, wasCut } from '../model/model-fetch.js';
import { modelErrorOf } from '../model/model-error-of.js';
import { ModelError } from '../model/model.js';
import { addressOf, type ProviderAccess } from '../model/provider-kind.js';
import type { AudioKind } from './audio-file.js';

/** What an endpoint heard. */
export interface Heard {
  text: string;
  /** As the endpoint counted; null: it does not say. */
  seconds: number | null;
}

/**
 * One call of `POST /audio/transcriptions`, as OpenAI documents it and others copy it: a form with the file and the
 * model, answered by JSON.
 * @throws ModelError, or what the fetch throws when it is aborted
 */
export async function transcribe(
  access: ProviderAccess,
  model: string,
  audio: { bytes: Buffer; kind: AudioKind },
  fetch: Fetch,
  signal: AbortSignal,
): Promise<Heard> {
  const form = new FormData();
  form.append('model', model);
  const { ending, mediaType } = audio.kind;
  // Endpoints know the kind of a file by its name, and a sender's own name is none of their business.
  form.append('file', new Blob([new Uint8Array(audio.bytes)], { type: mediaType }), `audio.${ending}`);
  const encoded = new Response(form);
  const url = `${addressOf(access)}${access.kind === 'azure' ? '/v1' : ''}/audio/transcriptions`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': encoded.headers.get('content-type') ?? '', ...authorizationOf(access) },
    body: new Uint8Array(await encoded.arrayBuffer()),
    signal,
  });
  const body = await response.text();
  if (!response.ok) throw refusalOf(url, response, body, Object.values(access.key ?? {}));
  const heard = wasCut(response) ? null : heardIn(body);
  if (heard === null) throw new ModelError('model_malformed', 'its answer is not a transcript');
  return heard;
}

function authorizationOf({ kind, key }: ProviderAccess): Record<string, string> {
  const secret = key?.['api_key'] ?? '';
  if (secret === '') return {};
  return kind === 'azure' ? { 'api-key': secret } : { authorization: `Bearer ${secret}` };
}

function refusalOf(url: string, { status, headers }: Response, responseBody: string, secrets: string[]): ModelError {
  if (status === 413) return new ModelError('model_rejected', 'it takes no file as large as this', { permanent: true });
  const responseHeaders = Object.fromEntries(headers);
  const message = 'the transcription failed';
  const facts = { message, url, requestBodyValues: {}, statusCode: status, responseHeaders, responseBody };
  return modelErrorOf(new APICallError(facts), secrets);
}

/** `duration` (verbose answers), `usage.seconds` (OpenAI), `usage.prompt_audio_seconds` (Mistral). */
function heardIn(body: string): Heard | null {
  const { text, duration, usage } = fieldsOf(parsed(body));
  if (typeof text !== 'string') return null;
  const { seconds, prompt_audio_seconds: asked } = fieldsOf(usage);
  const reported = [duration, seconds, asked].map(Number).find((each) => Number.isFinite(each) && each >= 0);
  return { text, seconds: reported ?? null };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Whatever it is, it is no transcript.
    return null;
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
