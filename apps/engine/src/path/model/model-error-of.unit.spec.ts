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

describe('the words of a failed model call', () => {
  const wordsOf = (responseBody: string, secrets: string[] = []) =>
    modelErrorOf(
      new APICallError({ message: 'no', statusCode: 400, url: 'http://model', requestBodyValues: {}, responseBody }),
      secrets,
    ).message;

  it.each([
    [{ error: { message: 'Unknown parameter: temperature', type: 'invalid_request_error' } }],
    [{ type: 'error', error: { type: 'invalid_request_error', message: 'Unknown parameter: temperature' } }],
    [{ message: 'Unknown parameter: temperature' }],
    [{ error: 'Unknown parameter: temperature' }],
    [[{ error: { code: 400, message: 'Unknown parameter: temperature' } }]],
    [{ error: { message: JSON.stringify({ error: { message: 'Unknown parameter: temperature' } }) } }],
    [{ detail: [{ message: 'Unknown parameter: temperature' }] }],
  ])('are those of the endpoint: %j', (body) => {
    expect(wordsOf(JSON.stringify(body))).toBe('the model answered 400 (“Unknown parameter: temperature”)');
  });

  it.each(['', '{}', '<html>Bad gateway</html>', 'null', '{"error":{"message":""}}', '{"error":{"code":7}}'])(
    'are only the status where it says nothing: %s',
    (body) => {
      expect(wordsOf(body)).toBe('the model answered 400');
    },
  );

  it('are cut, of one line, and without the key', () => {
    const key = 'sk-verysecret0123456789';
    const words = wordsOf(JSON.stringify({ error: { message: `Bad key ${key},\n\u202e try ${'x'.repeat(1_000)}` } }), [
      key,
    ]);
    expect(words).toMatch(/^the model answered 400 \(“Bad key \[redacted\], try x+”\)$/);
    expect(words.length).toBeLessThan(340);
  });
});
