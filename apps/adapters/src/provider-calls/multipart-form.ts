import type { AttachedFile } from '#libs/adapter-sdk';

export interface MultipartForm {
  fields: Record<string, string>;
  file: AttachedFile & { field: string };
}

/** The body of a `multipart/form-data` request (RFC 7578) and its content type, which names the boundary. */
export async function multipartBody({ fields, file }: MultipartForm): Promise<{ type: string; body: Buffer }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(file.field, new Blob([file.bytes], { type: file.contentType }), file.name);
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', body: Buffer.from(await encoded.arrayBuffer()) };
}
