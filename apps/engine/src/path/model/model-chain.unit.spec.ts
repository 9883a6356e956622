import { type Candidate, ModelChain } from './model-chain.js';
import { type Completion, ModelError, type ModelBlame } from './model.js';

const signal = new AbortController().signal;
const answer = (model: string): Completion => ({
  text: `by ${model}`,
  tool_calls: [],
  input_tokens: 1,
  output_tokens: 1,
  model,
  finish_reason: 'stop',
});
const failing = (blame: ModelBlame, permanent = false): ModelError =>
  new ModelError(permanent ? 'model_rejected' : 'model_unavailable', `${blame} failed`, { blame, permanent });

/** @param results of the calls of each candidate, in order; after the last one, it answers */
function chainOf(results: Record<string, ModelError[]>): { chain: ModelChain; asked: string[] } {
  const asked: string[] = [];
  const candidates = Object.entries(results).map(([id, errors]): Candidate => {
    const [provider = '', model = '', key = ''] = id.split(' ');
    const name = `${provider}/${model}`;
    return {
      name,
      provider,
      key,
      model: {
        complete: async () => {
          asked.push(id);
          const error = errors.shift();
          if (error) throw error;
          return answer(name);
        },
      },
    };
  });
  return { chain: new ModelChain(candidates), asked };
}

describe('the chain of models of a turn', () => {
  it.each<[ModelBlame, string[]]>([
    ['key', ['a x 1', 'a x 2']],
    ['model', ['a x 1', 'a y 1']],
    ['request', ['a x 1', 'a y 1']],
    ['provider', ['a x 1', 'b z 1']],
  ])('asks next what the failure of a %s leaves', async (blame, order) => {
    const { chain, asked } = chainOf({ 'a x 1': [failing(blame)], 'a x 2': [], 'a y 1': [], 'b z 1': [] });
    const { insteadOf } = await chain.complete([], [], signal);
    expect(asked).toEqual(order);
    expect(insteadOf).toEqual([{ model: 'a/x', key: '1', code: 'model_unavailable', why: `${blame} failed` }]);
  });

  it('asks another model of a provider that is away when there is no other provider', async () => {
    const { chain, asked } = chainOf({ 'a x 1': [failing('provider')], 'a x 2': [], 'a y 1': [] });
    await chain.complete([], [], signal);
    expect(asked).toEqual(['a x 1', 'a y 1']);
  });

  it('stays with the one that answered, and goes on saying why', async () => {
    const { chain, asked } = chainOf({ 'a x 1': [failing('key')], 'a x 2': [] });
    await chain.complete([], [], signal);
    const { insteadOf } = await chain.complete([], [], signal);
    expect(asked).toEqual(['a x 1', 'a x 2', 'a x 2']);
    expect(insteadOf).toHaveLength(1);
  });

  it('says each failure once when all failed before', async () => {
    const { chain } = chainOf({ 'a x 1': [failing('key'), failing('key')], 'a x 2': [failing('key')] });
    await expect(chain.complete([], [], signal)).rejects.toMatchObject({ code: 'model_unavailable' });
    expect((await chain.complete([], [], signal)).insteadOf).toHaveLength(1);
  });

  it('fails as one that may answer later, where the last refuses for good', async () => {
    const { chain } = chainOf({ 'a x 1': [failing('model')], 'b z 1': [failing('request', true)] });
    await expect(chain.complete([], [], signal)).rejects.toMatchObject({ code: 'model_unavailable', away: true });
  });

  it('asks nobody else when the conversation is too long', async () => {
    const tooLong = new ModelError('context_length', 'too long', { permanent: true });
    const { chain, asked } = chainOf({ 'a x 1': [tooLong], 'b z 1': [] });
    await expect(chain.complete([], [], signal)).rejects.toBe(tooLong);
    expect(asked).toEqual(['a x 1']);
  });
});
