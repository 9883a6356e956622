import { parseJson, type Form } from '#libs/adapter-sdk';
import { decodeText } from '../mail/decode-text.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

/** The fields of a form as text. SendGrid posts each as the mail's sender wrote it and names the charsets in a field. */
export function readFields(form: Form): Map<string, string> {
  const charsets = objectOf(parseJson(form.get('charsets') ?? ''));
  const fields = new Map<string, string>();
  for (const { name, bytes } of form.fields) {
    if (!fields.has(name)) fields.set(name, decodeText(bytes, textOf(charsets[name]) ?? 'utf-8'));
  }
  return fields;
}
