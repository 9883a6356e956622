import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { fact, type Step } from './steps.js';
import classes from './timeline.module.css';

/** What became of the voice notes of a turn's messages, each said once: a turn that is tried again may hear them again. */
export function VoiceNotes({ step }: { step: Step }): ReactNode {
  const sentences = step.entries.flatMap((entry) => {
    const name = fact(entry, 'name') ?? '';
    if (entry.reason === 'voice_note_failed') return [eventPageTexts.unheard(name, fact(entry, 'error') ?? '')];
    if (entry.reason !== 'voice_note_transcribed') return [];
    return [eventPageTexts.heard(name, fact(entry, 'model') ?? '', fact(entry, 'text') ?? '')];
  });
  return [...new Set(sentences)].map((sentence) => (
    <span key={sentence} className={classes.waited}>
      {sentence}
    </span>
  ));
}
