import { generateText, jsonSchema, type LanguageModel, streamText, tool } from 'ai';

export interface TrialResult {
  ok: boolean;
  /** As a sentence. */
  detail: string;
}

type Trial = (model: Exclude<LanguageModel, string>, signal: AbortSignal) => Promise<TrialResult>;

const few = 64;
/** A picture of 2 × 2 red pixels, as PNG. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
);

/** What a model can do, each found by one short call. @throws as the AI SDK */
export const trials: Record<'answer' | 'tools' | 'images' | 'streaming', Trial> = {
  answer: async (model, abortSignal) => {
    const { text, finishReason } = await generateText({
      model,
      prompt: 'Answer with the word ok.',
      maxOutputTokens: few,
      maxRetries: 0,
      abortSignal,
    });
    return { ok: true, detail: text.trim() === '' ? `It answers (${finishReason}).` : 'It answers.' };
  },
  tools: async (model, abortSignal) => {
    const { toolCalls } = await generateText({
      model,
      prompt: 'What is the weather in Paris? Use the tool.',
      tools: {
        weather: tool({
          description: 'The weather of a city.',
          inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
        }),
      },
      maxOutputTokens: few * 4,
      maxRetries: 0,
      abortSignal,
    });
    const called = toolCalls.some(({ toolName }) => toolName === 'weather');
    return { ok: called, detail: called ? 'It calls tools.' : 'It takes tools, but called none.' };
  },
  images: async (model, abortSignal) => {
    await generateText({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Which colour is this? One word.' },
            { type: 'file', data: picture, mediaType: 'image/png' },
          ],
        },
      ],
      maxOutputTokens: few,
      maxRetries: 0,
      abortSignal,
    });
    return { ok: true, detail: 'It takes images.' };
  },
  streaming: async (model, abortSignal) => {
    let failed: unknown = null;
    const { textStream } = streamText({
      model,
      prompt: 'Count from one to five.',
      maxOutputTokens: few,
      maxRetries: 0,
      abortSignal,
      onError: ({ error }) => {
        failed = error;
      },
    });
    let pieces = 0;
    for await (const piece of textStream) if (piece !== '') pieces += 1;
    if (failed !== null) throw failed;
    return { ok: pieces > 0, detail: pieces > 0 ? 'It streams.' : 'Its stream held no text.' };
  },
};
