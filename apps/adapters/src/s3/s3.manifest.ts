import type { Manifest } from '#libs/adapter-sdk';

/** Bytes of one file: as many as the platform's own documents may have. */
export const S3_MAX_FILE_BYTES = 25 * 1024 * 1024;

export const s3Manifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 's3',
  name: 'Amazon S3 (documents)',
  description: 'Reads documents from Amazon S3 and stores that speak its protocol.',
  icon: 'database',
  category: 'productivity',
  capabilities: [],
  credentials: [
    { key: 'S3_ACCESS_KEY_ID', type: 'text', label: 'Access key ID', maps_to: 'access_key_id' },
    { key: 'S3_SECRET_ACCESS_KEY', type: 'text', label: 'Secret access key', maps_to: 'secret_access_key' },
    {
      key: 'S3_SESSION_TOKEN',
      type: 'text',
      label: 'Session token',
      maps_to: 'session_token',
      required: false,
      description: 'Only for temporary keys.',
    },
    {
      key: 'S3_REGION',
      type: 'text',
      label: 'Region',
      maps_to: 'region',
      required: false,
      description: 'Region of the bucket. Default us-east-1.',
    },
    {
      key: 'S3_ENDPOINT',
      type: 'text',
      label: 'Endpoint',
      maps_to: 'endpoint',
      required: false,
      description: 'URL of a store other than Amazon S3, for example https://minio.example.com.',
    },
    {
      key: 'S3_PATH_STYLE',
      type: 'text',
      label: 'Path style',
      maps_to: 'path_style',
      required: false,
      description: 'true: the bucket is the first part of the path; false: a subdomain. Default true with an endpoint.',
    },
  ],
  setup_instructions: [
    'Create an access key with only s3:ListBucket on the bucket and s3:GetObject on its objects.',
    'Enter the key, and the region of the bucket.',
    'Add a document source with the path bucket, or bucket/folder.',
  ],
  sources: { max_file_bytes: S3_MAX_FILE_BYTES },
};
