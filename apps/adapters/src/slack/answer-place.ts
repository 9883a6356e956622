import type { JsonObject, MessageMetadata } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';

/**
 * What Slack gives for answering one call: an address that takes five answers in half an hour, and an id that opens a
 * dialog within three seconds. Whoever has them may answer, so they go where no model reads.
 */
export function answerPlace(fields: JsonObject): Pick<MessageMetadata, 'reply_context'> {
  const [listed] = objectsOf(fields.response_urls);
  const [url, trigger] = [textOf(fields.response_url) ?? textOf(listed?.response_url), textOf(fields.trigger_id)];
  if (url === undefined && trigger === undefined) return {};
  const place = {
    ...(url !== undefined && { response_url: url }),
    ...(trigger !== undefined && { trigger_id: trigger }),
  };
  return { reply_context: place };
}
