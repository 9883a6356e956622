import type { NormalizedMessage } from './message.js';

/** What became of an audio file of a message: its words as a model heard them, or why there are none. */
export interface Transcript {
  attachment_id: string;
  /** Of the file. */
  name: string;
  /** Absent: it could not be transcribed. */
  text?: string;
  /** The model that heard it, as `<provider>/<model>`. */
  model?: string;
  /** How long it is, where that is known. */
  seconds?: number;
  /** Why there is no text: the end of a sentence. */
  error?: string;
  /** No later attempt of its turn would hear more. Absent: it is tried again. */
  final?: true;
}

/** The transcripts of a message's audio files; what is not of that shape is left out. */
export function transcriptsOf(metadata: NormalizedMessage['metadata']): Transcript[] {
  const given = metadata?.['transcripts'];
  return Array.isArray(given) ? given.filter(isTranscript) : [];
}

/** A message with the words of its voice notes, each marked as a transcript. */
export function wordsOf({ message, metadata }: Pick<NormalizedMessage, 'message' | 'metadata'>): string {
  return [message, ...transcriptsOf(metadata).map(lineOf)].filter((part) => part.trim() !== '').join('\n\n');
}

function lineOf({ name, text, error }: Transcript): string {
  if (text === undefined) return `[The voice note ${name} could not be transcribed: ${error ?? 'nobody knows why'}.]`;
  if (text.trim() === '') return `[Transcript of the voice note ${name}: it holds no words.]`;
  return `[Transcript of the voice note ${name}, made by a program that may mishear:]\n${text}`;
}

function isTranscript(value: unknown): value is Transcript {
  if (typeof value !== 'object' || value === null) return false;
  const { attachment_id: id, name, text, error } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof name === 'string' && [text, error].some((each) => typeof each === 'string');
}
