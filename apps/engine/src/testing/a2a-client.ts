import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { type Message, Role, type SendMessageRequest } from '@a2a-js/sdk';

const transports = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory };

/** A client of the SDK that finds an agent by its card. Addresses of the card lead to `url`. */
export async function a2aClient(
  url: string,
  agent: string,
  key: () => Promise<string>,
  binding: keyof typeof transports = 'JSONRPC',
): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    if (!asked.pathname.endsWith('/agent-card.json')) headers.set('authorization', `Bearer ${await key()}`);
    return fetch(new URL(asked.pathname + asked.search, url), { ...init, headers });
  };
  // No other one beside it: the client would speak what the card prefers.
  const options = {
    transports: [new transports[binding]({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  };
  return new ClientFactory(options).createFromUrl(`${url}/a2a/${agent}/`);
}

/** A message of text, for `sendMessage` and `sendMessageStream`. */
export function a2aMessage(
  text: string,
  messageId: string,
  over: Partial<Message> = {},
  returnImmediately = false,
): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...over,
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
    metadata: undefined,
  };
}
