const received = {
  type: 'object',
  properties: { received: { const: true }, id: { type: 'string' }, duplicate: { const: true } },
  required: ['received', 'id'],
};
const json = (schema: object) => ({ 'application/json': { schema } });
const problem = (description: string) => ({ description, content: { 'application/problem+json': {} } });

/** The webhook endpoint has no controller to be described from: it takes any bytes. */
export const webhookPath = {
  '/api/v1/webhooks/{token}': {
    post: {
      operationId: 'receiveWebhook',
      summary: 'Where a provider, or any program, delivers an event to an App',
      description:
        'Authenticated by the token in the path and, where the App has one, by the signature over the raw body.',
      tags: ['webhooks'],
      security: [],
      parameters: [
        { name: 'token', in: 'path', required: true, schema: { type: 'string' } },
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'A delivery with a key that was taken before is answered as a duplicate',
          schema: { type: 'string' },
        },
      ],
      requestBody: { required: true, content: json({ type: 'object', additionalProperties: true }) },
      responses: {
        200: { description: 'Stored; processing follows', content: json(received) },
        400: problem('The body is not JSON (built-in Webhook App)'),
        401: problem('The signature is missing, wrong or too old'),
        404: problem('There is no such endpoint'),
        413: problem('The body is over the limit'),
        422: problem('The Idempotency-Key was used with another body (built-in Webhook App)'),
        429: problem('Too many requests'),
        503: problem('Not stored: send it again'),
      },
    },
  },
};
