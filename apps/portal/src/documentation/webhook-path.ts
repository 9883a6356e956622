import { limitSchema } from './problem-response.js';

const received = {
  description: 'Another status and body if the manifest of the App has `webhook.ack`',
  type: 'object',
  properties: { received: { const: true }, id: { type: 'string' }, duplicate: { const: true } },
  required: ['received', 'id'],
};
const json = (schema: object) => ({ 'application/json': { schema } });
const refusal = {
  type: 'object',
  properties: { error: { type: 'string' }, message: { type: 'string' }, limit: limitSchema },
  required: ['error', 'message'],
};
const named = (name: string) => json({ $ref: `#/components/schemas/${name}` });
const refused = (description: string) => ({ description, content: named('WebhookRefused') });

export const webhookSchemas = { WebhookReceived: received, WebhookRefused: refusal };

/** Described by hand: the webhook endpoint takes any bytes, so no controller describes it. */
export const webhookPath = {
  '/api/v1/webhooks/{token}': {
    post: {
      operationId: 'receiveWebhook',
      summary: 'Deliver an event to an App, as a provider or any program',
      description:
        'Authenticated by the token in the path and, if the App checks signatures, by the signature over the raw body.',
      tags: ['webhooks'],
      security: [],
      parameters: [
        { name: 'token', in: 'path', required: true, schema: { type: 'string' } },
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'A request with a key that was already used is answered as a duplicate',
          schema: { type: 'string' },
        },
      ],
      requestBody: { required: true, content: json({ type: 'object', additionalProperties: true }) },
      responses: {
        200: { description: 'Stored; processing follows', content: named('WebhookReceived') },
        400: refused('The body is not JSON (built-in Webhook App), or is not what its Content-Encoding says'),
        401: refused('The signature is missing, wrong or too old'),
        404: refused('There is no such endpoint, or no such workflow'),
        405: refused('The method is not POST, and the request is not a handshake'),
        410: refused('The token was retired: the App has a new URL'),
        413: refused('The body is over the limit'),
        415: refused('Not application/json (built-in Webhook App), or compressed in a coding that is not read'),
        422: refused(
          'Nested too deeply, workflow_id is not the integer of a workflow, or the Idempotency-Key was used with another body (built-in Webhook App)',
        ),
        429: refused('Over a limit, which `limit` names'),
        503: refused('Not stored: send it again'),
      },
    },
  },
};
