import { checkedModel, readInputs } from './model-settings.js';

const endpoint = 'http://models.internal/v1';

describe('the model settings', () => {
  it.each([null, ''])('are refused with an endpoint and the model name %j', (MODEL_NAME) => {
    expect(() => checkedModel({ MODEL_BASE_URL: endpoint, MODEL_NAME })).toThrow(/MODEL_NAME is not: name a model/);
  });

  it.each([
    [endpoint, 'some-model'],
    [null, null],
  ])('are accepted with %j and %j', (MODEL_BASE_URL, MODEL_NAME) => {
    const settings = { MODEL_BASE_URL, MODEL_NAME };
    expect(checkedModel(settings)).toBe(settings);
  });

  it.each([
    ['text, image', ['text', 'image']],
    ['image', ['image']],
    ['text,image,pdf', ['text', 'image', 'pdf']],
    [undefined, []],
  ])('give what models take: %j', (value, inputs) => {
    expect(readInputs('MODEL_INPUTS', value)).toEqual(inputs);
  });

  it.each(['images', 'text,audio', 'Image'])('are refused with models that take %j', (value) => {
    expect(() => readInputs('MODEL_INPUTS', value)).toThrow(
      /MODEL_INPUTS has .*: write text, or text with image, pdf or both/,
    );
  });
});
