import type { ProviderKey, ProviderKind } from '../path/model/provider-kind.js';

/** How one provider writes what the specs need, as its documentation and recorded answers show it. */
export interface Protocol {
  kind: ProviderKind;
  key: ProviderKey;
  /** Of the fake server: path of a call, and how its key is sent. */
  path: string;
  sendsKey: Record<string, string> | 'signature';
  text: (text: string) => unknown;
  calls: (calls: { id: string; name: string; arguments: object }[]) => unknown;
  /** Ended at the length limit, and by a filter. */
  cut: (text: string) => unknown;
  filtered: () => unknown;
  errors: { status: number; json: unknown; headers?: Record<string, string>; code: string; blame: string }[];
}

const chat = (message: object, finish_reason: string): unknown => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
const completions = {
  text: (content: string) => chat({ content }, 'stop'),
  calls: (calls: { id: string; name: string; arguments: object }[]) =>
    chat(
      {
        content: null,
        tool_calls: calls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(given) },
        })),
      },
      'tool_calls',
    ),
  cut: (content: string) => chat({ content }, 'length'),
  filtered: () => chat({ content: '' }, 'content_filter'),
};
const openAiErrors = [
  {
    status: 401,
    json: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    code: 'model_unauthorized',
    blame: 'key',
  },
  {
    status: 429,
    json: { error: { message: 'Rate limit reached for requests', code: 'rate_limit_exceeded' } },
    code: 'model_unavailable',
    blame: 'key',
  },
  {
    status: 429,
    json: {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    code: 'model_unauthorized',
    blame: 'key',
  },
  {
    status: 404,
    json: { error: { message: 'The model `x` does not exist', code: 'model_not_found' } },
    code: 'model_rejected',
    blame: 'model',
  },
  {
    status: 500,
    json: { error: { message: 'The server had an error' } },
    code: 'model_unavailable',
    blame: 'provider',
  },
];

const anthropic = (content: object[], stop_reason: string): unknown => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});
const anthropicError = (type: string, message: string): object => ({ type: 'error', error: { type, message } });

const gemini = (parts: object[], finishReason: string): unknown => ({
  candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
});
const geminiError = (code: number, status: string, message: string, details: object[] = []): object => ({
  error: { code, message, status, details },
});
const geminis = {
  text: (text: string) => gemini([{ text }], 'STOP'),
  calls: (calls: { id: string; name: string; arguments: object }[]) =>
    gemini(
      calls.map(({ name, arguments: args }, at) => ({ functionCall: { name, args }, thoughtSignature: `sig${at}` })),
      'STOP',
    ),
  cut: (text: string) => gemini([{ text }], 'MAX_TOKENS'),
  filtered: () => ({
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
  }),
  errors: [
    {
      status: 400,
      json: geminiError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
      code: 'model_unauthorized',
      blame: 'key',
    },
    {
      status: 429,
      json: geminiError(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details.',
        [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }],
      ),
      code: 'model_unavailable',
      blame: 'key',
    },
    {
      status: 503,
      json: geminiError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      code: 'model_unavailable',
      blame: 'model',
    },
    {
      status: 400,
      json: geminiError(
        400,
        'INVALID_ARGUMENT',
        'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      code: 'context_length',
      blame: 'request',
    },
  ],
};

const bedrock = (content: object[], stopReason: string): unknown => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  metrics: { latencyMs: 10 },
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
});

/** @param serviceAccount the JSON of one with a private key */
export function protocols(serviceAccount: string): Protocol[] {
  return [
    {
      kind: 'openai',
      key: { api_key: 'sk-openai-1234567' },
      path: '/chat/completions',
      sendsKey: { authorization: 'Bearer sk-openai-1234567' },
      ...completions,
      errors: openAiErrors,
    },
    {
      kind: 'openai-compatible',
      key: { api_key: 'sk-other-1234567' },
      path: '/chat/completions',
      sendsKey: { authorization: 'Bearer sk-other-1234567' },
      ...completions,
      errors: openAiErrors,
    },
    {
      kind: 'azure',
      key: { api_key: 'azure-1234567' },
      path: '/chat/completions',
      sendsKey: { 'api-key': 'azure-1234567' },
      ...completions,
      errors: openAiErrors,
    },
    {
      kind: 'mistral',
      key: { api_key: 'mistral-1234567' },
      path: '/chat/completions',
      sendsKey: { authorization: 'Bearer mistral-1234567' },
      ...completions,
      errors: [
        { status: 401, json: { detail: 'Unauthorized' }, code: 'model_unauthorized', blame: 'key' },
        { status: 429, json: { message: 'Requests rate limit exceeded' }, code: 'model_unavailable', blame: 'key' },
      ],
    },
    {
      kind: 'anthropic',
      key: { api_key: 'sk-ant-1234567' },
      path: '/messages',
      sendsKey: { 'x-api-key': 'sk-ant-1234567' },
      text: (text) => anthropic([{ type: 'text', text }], 'end_turn'),
      calls: (calls) =>
        anthropic(
          calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
          'tool_use',
        ),
      cut: (text) => anthropic([{ type: 'text', text }], 'max_tokens'),
      filtered: () => anthropic([], 'refusal'),
      errors: [
        {
          status: 401,
          json: anthropicError('authentication_error', 'invalid x-api-key'),
          code: 'model_unauthorized',
          blame: 'key',
        },
        {
          status: 400,
          json: anthropicError('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
          code: 'model_unauthorized',
          blame: 'key',
        },
        {
          status: 429,
          json: anthropicError('rate_limit_error', 'This request would exceed your rate limit'),
          headers: { 'retry-after': '7' },
          code: 'model_unavailable',
          blame: 'key',
        },
        {
          status: 529,
          json: anthropicError('overloaded_error', 'Overloaded'),
          code: 'model_unavailable',
          blame: 'model',
        },
        {
          status: 200,
          json: anthropicError('overloaded_error', 'Overloaded'),
          code: 'model_unavailable',
          blame: 'model',
        },
        { status: 404, json: anthropicError('not_found_error', 'model: x'), code: 'model_rejected', blame: 'model' },
        {
          status: 400,
          json: anthropicError('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
          code: 'context_length',
          blame: 'request',
        },
      ],
    },
    {
      kind: 'google',
      key: { api_key: 'AIza-1234567' },
      path: '/models/m:generateContent',
      sendsKey: { 'x-goog-api-key': 'AIza-1234567' },
      ...geminis,
    },
    {
      kind: 'google-vertex',
      key: { service_account: serviceAccount },
      path: '/models/m:generateContent',
      sendsKey: { authorization: 'Bearer vertex-token' },
      ...geminis,
    },
    {
      kind: 'amazon-bedrock',
      key: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret-1234567', session_token: 'session-1234567' },
      path: '/model/m/converse',
      sendsKey: 'signature',
      text: (text) => bedrock([{ text }], 'end_turn'),
      calls: (calls) =>
        bedrock(
          calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
          'tool_use',
        ),
      cut: (text) => bedrock([{ text }], 'max_tokens'),
      filtered: () => bedrock([{ text: 'blocked' }], 'guardrail_intervened'),
      errors: [
        {
          status: 403,
          json: { message: 'The security token included in the request is invalid.' },
          code: 'model_unauthorized',
          blame: 'key',
        },
        {
          status: 429,
          json: { message: 'Too many requests, please wait before trying again.' },
          code: 'model_unavailable',
          blame: 'key',
        },
        { status: 424, json: { message: 'The model returned an error' }, code: 'model_unavailable', blame: 'model' },
        { status: 503, json: { message: 'The service is unavailable' }, code: 'model_unavailable', blame: 'provider' },
        {
          status: 400,
          json: { message: 'Input is too long for requested model.' },
          code: 'context_length',
          blame: 'request',
        },
      ],
    },
  ];
}
