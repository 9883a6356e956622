/** For `@ApiProperty`: the App that a message came through; a run started by the API has none. */
export const messageSource = {
  type: String,
  pattern: '^(?:app_|api:prj_)[0-9a-f]{32}$',
  description: 'The App; `api:<project>` for a run that was started by the API',
} as const;
