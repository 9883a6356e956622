import type { Schema } from '../../api/named-schema.js';

/** The fields of the registration form. */
export interface ServerValues {
  url: string;
  name: string;
  mode: Schema<'ServerAuth'>['mode'];
  credentialId: string | null;
  header: string;
  clientId: string;
  clientSecret: string;
  policy: Schema<'ServerView'>['policy'];
  trust: Schema<'ServerView'>['trust'];
  sessions: Schema<'ServerView'>['sessions'];
}

export const emptyServer: ServerValues = {
  url: '',
  name: '',
  mode: 'none',
  credentialId: null,
  header: '',
  clientId: '',
  clientSecret: '',
  policy: 'block',
  trust: 'untrusted',
  sessions: 'conversation',
};
