import {
  FormError,
  headerValue,
  ignoredMessage,
  parseForm,
  parseJson,
  type HeaderMap,
  type InboundCall,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import { parseEvents } from './parse-events.js';
import { parseMail } from './parse-mail.js';

/** A form is a mail of Inbound Parse, JSON a batch of events. */
export async function parseSendgridInbound(call: InboundCall): Promise<NormalizedMessage> {
  const { headers, body, text } = call.request;
  if (!isForm(headers)) return parseEvents(parseJson(text));
  try {
    return await parseMail(await parseForm({ headers, body }), call);
  } catch (error) {
    if (error instanceof FormError) return ignoredMessage('unreadable_form', { detail: error.message });
    throw error;
  }
}

export function isForm(headers: HeaderMap): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(
    headerValue(headers, 'content-type') ?? '',
  );
}
