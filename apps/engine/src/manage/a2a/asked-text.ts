import type { Message } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';

/** The text of a message: its parts of text and data, in their order. @throws A2AError for files, and for no parts */
export function askedText({ parts }: Message): string {
  if (parts.length === 0) throw new RequestMalformedError('message.parts is empty: put the text into it.');
  return parts
    .map(({ content }) => {
      if (content?.$case === 'text') return content.value;
      if (content?.$case === 'data') return JSON.stringify(content.value ?? null);
      throw new ContentTypeNotSupportedError('Files are not taken: send parts with text or data.');
    })
    .join('\n\n');
}
