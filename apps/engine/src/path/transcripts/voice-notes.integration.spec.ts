import { newId, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import { fakeProvider, type FakeProvider, type ProviderRequest } from '../../testing/fake-provider.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';
import { audioKindOf, sampleAudio } from './audio-file.js';
import { TranscriptRepository } from './transcript.repository.js';

const route = '/internal/adapter-calls/fetch-file';

/** A second of audio, another one for each number. */
function voice(number: number): Buffer {
  const bytes = sampleAudio();
  bytes.writeInt16LE(number, bytes.length - 2);
  return bytes;
}

const formOf = ({ bytes, headers }: ProviderRequest): Promise<FormData> =>
  new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();

describe('a voice note', () => {
  let world: EngineWorld;
  let provider: FakeProvider;
  let agent: string;
  let next = 0;

  beforeAll(async () => {
    [world, provider] = await Promise.all([engineWorld(), fakeProvider()]);
    await world.start(settings());
    world.services.on('/internal/bindings/provider/', () => ({ unknown: [] }));
    agent = await agentOf(world, {});
  });
  const settings = () => ({
    GATEWAY_URL: world.services.url,
    TRANSCRIPTION_TIMEOUT_MS: 5_000,
    TRANSCRIPTION_MAX_BYTES: 40_000,
    TRANSCRIPTION_MAX_SECONDS: 2,
    TRANSCRIPTION_FILES: 2,
    MODEL_PRICES: { 'ears/whisper': { input: 0, output: 0, minute: 0.6 } },
    MODEL_BREAKER_FAILURES: 1_000,
    MODEL_TRIAL_MS: 100,
  });
  afterAll(async () => {
    await world.close();
    await provider.close();
  });
  beforeEach(async () => {
    for (const table of ['provider', 'transcript', 'model_usage', 'usage'])
      await world.pool.query(`DELETE FROM engine.${table}`);
    const body = { name: 'ears', kind: 'openai-compatible', base_url: provider.url, transcription_model: 'whisper' };
    expect((await world.call('POST', 'providers', body)).status).toBe(201);
    provider.answer(() => ({ json: { text: ' Send me the invoice of May. ' } }));
    next += 1;
    sends(voice(next));
  });

  const sends = (bytes: Buffer): void =>
    world.services.on(route, () => ({ content_base64: bytes.toString('base64'), content_type: 'audio/wav' }));
  const spoken = (attachments: object[], over: Parameters<typeof turnOf>[0] = {}, text = '') => {
    world.model.script('Here it is.');
    const message = { event_type: 'message', sender: 'ada', message: text, is_bot: false };
    return turnOf({ agent_id: agent, ...over }, { message: { ...message, metadata: { attachments } } });
  };
  const notesOf = (turn: ReturnType<typeof turnOf>, outcome = 'running') =>
    until('the event says what became of the voice note', async () => {
      const sql = `SELECT outcome, reason, detail FROM ${everyEntry} e WHERE subject_id = $1 ORDER BY at`;
      const { rows } = await world.pool.query(sql, [turn.turn_id]);
      const notes = rows.filter(({ reason }) => reason?.startsWith('voice_note_'));
      const isThere = notes.length > 0 && rows.some((row) => row.outcome === outcome);
      return isThere && notes.map(({ reason, detail }) => ({ reason, detail }));
    });
  const note = { id: 'v1', name: 'voice', content_type: 'audio/ogg', fetch_ref: 'ref-1' };
  const run = async (turn: ReturnType<typeof turnOf>) => {
    const row = await turnsOf(world).run(turn);
    return { row, asked: JSON.stringify(world.model.requests.at(-1)) };
  };

  it('is transcribed by the chosen model, and its words are the sender’s', async () => {
    const turn = spoken([note], {}, 'see below');
    const { row, asked } = await run(turn);
    expect(provider.requests.map(({ method, path }) => [method, path])).toEqual([['POST', '/audio/transcriptions']]);
    const form = await formOf(provider.requests[0] as ProviderRequest);
    const file = form.get('file') as File;
    expect([form.get('model'), file.name, file.type]).toEqual(['whisper', 'audio.wav', 'audio/wav']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(voice(next));
    expect(asked).toContain('see below');
    expect(asked).toContain('[Transcript of the voice note voice, made by a program that may mishear:]');
    expect(asked).toContain('Send me the invoice of May.');
    expect(row).toMatchObject({ state: 'succeeded', content_trust: 'own' });
    const heard = { attachment_id: 'v1', name: 'voice', text: 'Send me the invoice of May.', model: 'ears/whisper' };
    expect(row.input.message.metadata.transcripts).toEqual([{ ...heard, seconds: 1 }]);
    expect(await notesOf(turn)).toEqual([
      {
        reason: 'voice_note_transcribed',
        detail: { name: 'voice', model: 'ears/whisper', seconds: 1, text: 'Send me the invoice of May.' },
      },
    ]);
  });

  it('is counted in the usage of its model, agent and day, by the price of a minute', async () => {
    await run(spoken([note]));
    const today = new Date().toISOString().slice(0, 10);
    const usage = async (by: string) =>
      (await world.call('GET', `usage?from=${today}&to=${today}&group_by=${by}`)).body.data;
    expect((await usage('model')).find(({ model }) => model === 'ears/whisper')).toMatchObject({
      model_calls: 1,
      audio_seconds: 1,
      cost_micros: 10_000,
    });
    expect((await usage('agent'))[0]).toMatchObject({ agent_id: agent, cost_micros: 10_000 });
  });

  it('is transcribed once, whichever events have it, and a later turn of its conversation still has its words', async () => {
    const session = sessionOf(newId('ses'));
    await run(spoken([note], { session }));
    await run(spoken([{ ...note, id: 'v2', fetch_ref: 'ref-2' }]));
    const { asked } = await run(spoken([], { session }, 'and the one of June?'));
    expect(provider.requests).toHaveLength(1);
    expect(asked).toContain('Send me the invoice of May.');
    expect(asked).toContain('and the one of June?');
    const { rows } = await world.pool.query('SELECT organization_id, name, text, seconds FROM engine.transcript');
    expect(rows).toEqual([
      { organization_id: home.organizationId, name: 'voice', text: 'Send me the invoice of May.', seconds: 1 },
    ]);
  });

  it('of two turns at a time is sent to the provider once', async () => {
    const turns = [spoken([note]), spoken([note])];
    await Promise.all(turns.map((turn) => world.jobs.enqueue(turnRun, turn)));
    for (const turn of turns) {
      const row = await turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed');
      expect(row.input.message.metadata.transcripts[0].text).toBe('Send me the invoice of May.');
    }
    expect(provider.requests).toHaveLength(1);
  });

  it('is kept once and not heard again when the turn dies before it has the words', async () => {
    const transcripts = world.app.get(TranscriptRepository, { strict: false });
    const give = transcripts.give.bind(transcripts);
    transcripts.give = () => {
      transcripts.give = give;
      return Promise.reject(new Error('the process died'));
    };
    const { row } = await run(spoken([note]));
    expect(row).toMatchObject({ state: 'succeeded', claim: 2 });
    expect(row.input.message.metadata.transcripts[0].text).toBe('Send me the invoice of May.');
    expect(provider.requests).toHaveLength(1);
  });

  it('that the provider does not take is tried again, then said to the model and on the event, and answered', async () => {
    provider.answer(() => ({ status: 500, json: { error: { message: 'the decoder is on fire' } } }));
    const turn = spoken([note]);
    const { row, asked } = await run(turn);
    expect(provider.requests).toHaveLength(2);
    expect(row).toMatchObject({ state: 'succeeded', reply_text: 'Here it is.' });
    expect(asked).toContain(
      '[The voice note voice could not be transcribed: the transcription service does not answer.]',
    );
    expect(asked).not.toContain('on fire');
    expect(await notesOf(turn)).toEqual([
      {
        reason: 'voice_note_failed',
        detail: {
          name: 'voice',
          error: 'The voice note could not be transcribed: the model answered 500 (“the decoder is on fire”).',
        },
      },
    ]);
    provider.answer(() => ({ json: { text: 'now it works' } }));
    expect((await run(spoken([note]))).asked).toContain('now it works');
  });

  it('of a project without a transcription model is said to be one', async () => {
    await world.call('PATCH', `providers/${await providerId()}`, { transcription_model: null });
    const turn = spoken([note]);
    const { row, asked } = await run(turn);
    expect(row.state).toBe('succeeded');
    expect(asked).toContain('could not be transcribed: no transcription is set up in this project');
    expect((await notesOf(turn))[0]?.detail.error).toContain('chosen on the page of a provider');
    expect(provider.requests).toEqual([]);
  });

  it.each<[string, () => Buffer, string]>([
    ['larger than the limit', () => Buffer.concat([voice(0), Buffer.alloc(10_000)]), 'it has over 40000 bytes'],
    ['no audio', () => Buffer.from('<html>no such file</html>'), 'it is no audio of a known kind'],
    [
      'longer than the limit',
      () => {
        const bytes = voice(0);
        bytes.writeUInt32LE(8_000, 28);
        return bytes;
      },
      'it is longer than 2 seconds',
    ],
  ])('that is %s is sent nowhere, and said why', async (_what, bytes, why) => {
    sends(bytes());
    const { row, asked } = await run(spoken([note]));
    expect(row.state).toBe('succeeded');
    expect(asked).toContain(`[The voice note voice could not be transcribed: ${why}.]`);
    expect(provider.requests).toEqual([]);
  });

  /** A turn of this note that waits for its model through some claims. @returns what the event says once it is answered */
  const notedThroughWaits = async (meanwhile: () => void) => {
    world.model.always((response) => response.writeHead(503).end('{}'));
    const turn = spoken([note]);
    world.model.script();
    await world.jobs.enqueue(turnRun, turn);
    const waits = async () => (await turnsOf(world).row(turn.turn_id))?.waits;
    await until('it has waited twice', async () => (await waits()) >= 2);
    meanwhile();
    await until('it has waited four times', async () => (await waits()) >= 4);
    world.model.always(null);
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    return (await notesOf(turn, 'succeeded')).map(({ reason }) => reason);
  };

  it('that is no audio is not tried again, however often its turn is', async () => {
    sends(Buffer.from('<html>'));
    expect(await notedThroughWaits(() => sends(voice(next)))).toEqual(['voice_note_failed']);
    expect(provider.requests).toEqual([]);
  });

  it('that fails in each try of its turn is noted once, and its words when they come', async () => {
    provider.answer(() => ({ status: 400, json: { error: { message: 'not today' } } }));
    const noted = await notedThroughWaits(() => provider.answer(() => ({ json: { text: 'Here I am.' } })));
    expect(noted).toEqual(['voice_note_failed', 'voice_note_transcribed']);
  });

  it('shares the time of one with the others of its message, and the message is answered without it', async () => {
    await world.restart({ ...settings(), TRANSCRIPTION_TIMEOUT_MS: 300 });
    provider.answer(() => () => undefined);
    const { row } = await run(spoken([note, { ...note, id: 'v2' }]));
    const late = { error: 'it was not transcribed in time' };
    expect(row).toMatchObject({ state: 'succeeded', input: { message: { metadata: { transcripts: [late, late] } } } });
    expect(provider.requests.length).toBeLessThanOrEqual(2);
    await world.restart(settings());
  });

  it('of an agent whose budget is used up is not sent to the provider', async () => {
    const thrifty = await agentOf(world, { caps: { day_tokens: 15 } });
    world.model.script();
    await turnsOf(world).run(turnOf({ agent_id: thrifty }));
    const turn = spoken([note], { agent_id: thrifty });
    expect((await run(turn)).row).toMatchObject({ state: 'failed', reason: 'day_budget_spent' });
    // Notes of the test before, which ended by their time, may still arrive.
    const sent = provider.requests.filter(({ bytes }) => bytes.includes(voice(next)));
    expect(sent).toEqual([]);
    expect((await notesOf(turn))[0]?.detail.error).toContain('the budget for it is used up');
  });

  it('beyond the number of a turn, or of a channel that keeps no files, is named', async () => {
    const { asked } = await run(
      spoken([
        note,
        { id: 'v2', name: 'gone.mp3' },
        { ...note, id: 'v3', name: 'third' },
        { id: 'f1', name: 'order.txt', content_type: 'text/plain', fetch_ref: 'f' },
      ]),
    );
    expect(asked).toContain(
      'The voice note gone.mp3 could not be transcribed: files of this channel cannot be fetched',
    );
    expect(asked).toContain('The voice note third could not be transcribed: a message has at most 2');
    expect(asked).not.toContain('The voice note order.txt');
  });

  const providerId = async (): Promise<string> => (await world.call('GET', 'providers')).body.data[0]?.id ?? '';

  it('has one model of the project, of a provider that can, which the test of the provider tries', async () => {
    const other = { name: 'second', kind: 'openai-compatible', base_url: provider.url, transcription_model: 'large' };
    const { id } = (await world.call('POST', 'providers', other)).body;
    const { data } = (await world.call('GET', 'providers')).body;
    expect(data.map((one) => one.transcription_model)).toEqual([null, 'large']);
    const refused = { name: 'third', kind: 'google', credential_ids: ['cred_one'], transcription_model: 'x' };
    expect((await world.call('POST', 'providers', refused)).body).toMatchObject({
      status: 422,
      errors: [expect.objectContaining({ field: 'transcription_model' })],
    });
    provider.answer(({ path }) => (path === '/audio/transcriptions' ? { json: { text: '' } } : { json: { data: [] } }));
    const { findings } = (await world.call('POST', `providers/${id}/test`, {})).body;
    expect(findings.at(-1)).toMatchObject({ check: 'transcription', ok: true, detail: 'large takes audio.' });
    provider.answer(() => ({ status: 404, json: { error: { message: 'no such model' } } }));
    const failed = (await world.call('POST', `providers/${id}/test`, {})).body.findings.at(-1);
    expect(failed).toMatchObject({
      check: 'transcription',
      ok: false,
      detail: expect.stringContaining('no such model'),
    });
  });

  it('may be of any kind that endpoints take', () => {
    const kind = (head: number[] | string) =>
      audioKindOf(Buffer.concat([Buffer.from(head as string), Buffer.alloc(20)]));
    expect(
      ['OggS', 'fLaC', 'ID3', '#!AMR', [0xff, 0xfb], [0xff, 0xf1], [0x1a, 0x45, 0xdf, 0xa3], 'xxxxftypM4A '].map(
        (head) => kind(head as string)?.ending,
      ),
    ).toEqual(['ogg', 'flac', 'mp3', 'amr', 'mp3', 'aac', 'webm', 'm4a']);
    expect(kind('%PDF-1.7')).toBeNull();
  });
});
