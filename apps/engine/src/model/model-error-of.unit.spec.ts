import { APICallError } from 'ai';
import { modelErrorOf } from './model-error-of.js';

const answered = (statusCode: number, message: string, code = '') =>
  modelErrorOf(
    new APICallError({
      message,
      statusCode,
      url: 'http://model',
      requestBodyValues: {},
      responseBody: JSON.stringify({ error: { message, code } }),
    }),
  );

describe('a failed model call', () => {
  it.each([
    [400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    [400, 'The input token count (40000) exceeds the maximum number of tokens allowed (32768).'],
    [400, 'the request exceeds the available context size, try increasing it'],
    [400, 'Please reduce the length of the messages.'],
    [400, 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
    [422, 'inputs: too many input tokens'],
    [413, 'Payload too large'],
  ])('says that the conversation is too long: %i %s', (status, message) => {
    expect(answered(status, message)).toMatchObject({ code: 'context_length', permanent: true, away: false });
  });

  it('is recognised as too long by the code alone', () => {
    expect(answered(400, 'Bad request', 'context_length_exceeded')).toMatchObject({ code: 'context_length' });
  });

  it.each([
    [400, 'Unknown parameter: temperature'],
    [400, "Invalid value for 'max_tokens'"],
    [404, 'The model x does not exist'],
  ])('is the fault of the request: %i %s', (status, message) => {
    expect(answered(status, message)).toMatchObject({ code: 'model_rejected', permanent: true, away: false });
  });

  it.each([
    [408, 'model_unavailable'],
    [429, 'model_unavailable'],
    [500, 'model_unavailable'],
    [529, 'model_unavailable'],
    [401, 'model_unauthorized'],
    [403, 'model_unauthorized'],
  ])('means that the model is unavailable: %i', (status, code) => {
    expect(answered(status, 'no')).toMatchObject({ code, permanent: false, away: true });
  });
});
