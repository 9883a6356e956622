// How each package is asked whether it accepts a request: by what it offers to those who use it.
import { createHash } from 'node:crypto';

/**
 * @typedef {{ body: string, headers: Record<string, string>, secret: string, url: string }} Given
 * @typedef {(name: string) => Promise<any>} Load
 * @typedef {(given: Given, load: Load) => unknown} Accepts
 */

/** What a trigger of n8n sees of a request. @param {Given} given */
function triggerOf({ body, headers, secret, url }) {
  const names = ['clientSecret', 'apiKey', 'oauthSecret', 'signingKeySecondary', 'sharedSecret'];
  const credentials = Object.fromEntries(names.map((name) => [name, secret]));
  /** @type {Record<string, string | undefined>} */
  const parameters = { authentication: 'apiKey', topic: headers['x-shopify-topic'] };
  const response = { status: () => response, send: () => response, end: () => response };
  return {
    getRequestObject: () => ({
      rawBody: Buffer.from(body),
      body: {},
      header: (/** @type {string} */ name) => headers[name],
    }),
    getHeaderData: () => headers,
    getWorkflowStaticData: () => ({ webhookSecret: secret, hookSecret: secret, secret }),
    getCredentials: async () => credentials,
    getNodeParameter: (/** @type {string} */ name) => parameters[name],
    getNodeWebhookUrl: () => url,
    getBodyData: () => ({}),
    getResponseObject: () => response,
    getNode: () => ({}),
    helpers: { returnJsonArray: (/** @type {unknown} */ json) => json },
  };
}

const n8n = 'n8n-nodes-base/dist/nodes';

/** @type {(path: string) => Accepts} */
const helper = (path) => async (given, load) => {
  const { verifySignature } = await load(`${n8n}/${path}TriggerHelpers.js`);
  return (await verifySignature.call(triggerOf(given))) === true;
};

/** @type {(folder: string, name: string) => Accepts} */
const trigger = (folder, name) => async (given, load) => {
  const { [name]: Trigger } = await load(`${n8n}/${folder}/${name}.node.js`);
  return (await new Trigger().webhook.call(triggerOf(given))).workflowData !== undefined;
};

/** The request is the event itself: see the hooks of the script. @type {(file: string, name: string) => Accepts} */
const validator = (file, name) => async (given, load) => {
  const validators = await load(`nuxt-webhook-validators/dist/runtime/server/lib/validators/${file}.js`);
  return validators[name](given);
};

/** @type {(platform: string) => Accepts} */
const tern =
  (platform) =>
  async ({ body, headers, secret, url }, load) => {
    const { WebhookVerificationService } = await load('@hookflo/tern');
    const request = new Request(url, { method: 'POST', headers, body });
    return (await WebhookVerificationService.verifyWithPlatformConfig(request, platform, secret, 600)).isValid;
  };

/** By the id of the sender. @type {Record<string, Accepts>} */
export const acceptances = {
  acuity: helper('AcuityScheduling/AcuityScheduling'),
  asana: helper('Asana/Asana'),
  box: helper('Box/Box'),
  'cal-com': helper('Cal/Cal'),
  calendly: helper('Calendly/Calendly'),
  netlify: helper('Netlify/Netlify'),
  trello: helper('Trello/Trello'),
  typeform: helper('Typeform/Typeform'),
  webflow: helper('Webflow/Webflow'),
  zendesk: helper('Zendesk/Zendesk'),
  'help-scout': trigger('HelpScout', 'HelpScoutTrigger'),
  shopify: trigger('Shopify', 'ShopifyTrigger'),
  webex: trigger('Cisco/Webex', 'CiscoWebexTrigger'),
  woocommerce: trigger('WooCommerce', 'WooCommerceTrigger'),
  docusign: validator('docusign', 'isValidDocusignWebhook'),
  dropbox: validator('dropbox', 'isValidDropboxWebhook'),
  vercel: validator('vercel', 'isValidVercelWebhook'),
  'lemon-squeezy': tern('lemonsqueezy'),
  sentry: tern('sentry'),
  crisp: async ({ body, headers, secret }, load) => {
    const { Crisp } = await load('crisp-api');
    const [time, signature] = [headers['x-crisp-request-timestamp'], headers['x-crisp-signature']];
    return new Crisp().verifyWidget(secret, JSON.parse(body), time, signature);
  },
  'customer-io': async ({ body, headers, secret }, load) =>
    (await load('customerio-node')).verifyRequestSignature({
      signingSecret: secret,
      timestamp: Number(headers['x-cio-timestamp']),
      signature: headers['x-cio-signature'],
      body,
    }),
  'dropbox-sign': async ({ body, headers, secret }, load) => {
    const { EventCallbackHelper, EventCallbackRequest } = await load('@dropbox/sign');
    const form = await new Response(body, { headers }).formData();
    return EventCallbackHelper.isValid(secret, EventCallbackRequest.init(JSON.parse(String(form.get('json')))));
  },
  elevenlabs: async ({ body, headers, secret }, load) => {
    const { WebhooksClient } = await load('@elevenlabs/elevenlabs-js/wrapper/webhooks.js');
    return new WebhooksClient({ apiKey: 'key' }).constructEvent(body, headers['elevenlabs-signature'], secret);
  },
  hubspot: async ({ body, headers, secret, url }, load) =>
    (await load('@hubspot/api-client')).Signature.isValid({
      signature: headers['x-hubspot-signature-v3'],
      clientSecret: secret,
      requestBody: body,
      url,
      method: 'POST',
      signatureVersion: 'v3',
      timestamp: Number(headers['x-hubspot-request-timestamp']),
    }),
  meta: async ({ body, headers, secret }, load) => {
    const { WhatsAppAPI } = await load('whatsapp-api-js');
    const api = new WhatsAppAPI({ token: 't', appSecret: secret, webhookVerifyToken: 'v', v: 'v20.0', secure: true });
    return api.verifyRequestSignature(body, headers['x-hub-signature-256']);
  },
  notion: async ({ body, headers, secret }, load) =>
    (await load('@notionhq/client')).verifyWebhookSignature({
      body,
      signature: headers['x-notion-signature'],
      verificationToken: secret,
    }),
  plivo: async ({ body, headers, secret, url }, load) => {
    const { validateV3Signature } = await load('plivo/dist/utils/v3Security.js');
    const [nonce, signature] = [headers['x-plivo-signature-v3-nonce'], headers['x-plivo-signature-v3']];
    const fields = Object.fromEntries(new URLSearchParams(body));
    return validateV3Signature('POST', url, nonce, secret, signature, fields);
  },
  square: async ({ body, headers, secret, url }, load) =>
    (await load('square')).WebhooksHelper.verifySignature({
      requestBody: body,
      signatureHeader: headers['x-square-hmacsha256-signature'],
      signatureKey: secret,
      notificationUrl: url,
    }),
  vonage: async ({ body, headers, secret }, load) => {
    const token = (headers['authorization'] ?? '').replace('Bearer ', '');
    const { payload_hash: hash } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
    const isSigned = (await load('@vonage/jwt')).verifySignature(token, secret);
    return isSigned && hash === createHash('sha256').update(body).digest('hex');
  },
  zoom: async ({ body, headers, secret }, load) => {
    const { AwsLambdaReceiver } = await load('@zoom/rivet/meetings');
    const receiver = new AwsLambdaReceiver({ webhooksSecretToken: secret });
    receiver.init({ eventEmitter: { emit: () => true } });
    return (await receiver.start()({ headers, body, isBase64Encoded: false }, {})).statusCode === 200;
  },
};
