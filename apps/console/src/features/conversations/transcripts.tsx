import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { conversationTexts } from '../../texts/conversations.js';
import classes from '../../ui/chat.module.css';

const texts = conversationTexts.voiceNotes;

interface Transcript {
  name: string;
  text?: string;
  error?: string;
}

/** What the voice notes of a message say, each below the name of its file; or why nobody heard it. */
export function Transcripts({ metadata }: Pick<Schema<'NormalizedMessageView'>, 'metadata'>): ReactNode {
  return transcriptsIn(metadata).map(({ name, text, error }, index) => (
    <figure key={index} className={classes.transcript}>
      <figcaption>{text === undefined ? texts.failed(name) : texts.heard(name)}</figcaption>
      {text === undefined ? (error ?? '') : text || <em>{texts.silent}</em>}
    </figure>
  ));
}

export function transcriptsIn(metadata: Schema<'NormalizedMessageView'>['metadata']): Transcript[] {
  const given = metadata?.['transcripts'];
  if (!Array.isArray(given)) return [];
  return (given as Partial<Record<keyof Transcript, unknown>>[]).flatMap((each) =>
    typeof each?.name === 'string'
      ? [
          {
            name: each.name,
            ...(typeof each.text === 'string' && { text: each.text }),
            ...(typeof each.error === 'string' && { error: each.error }),
          },
        ]
      : [],
  );
}
