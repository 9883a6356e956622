/** Read by the commands; the one place that looks at the process. Settings: docs/cli.md. */
export const environment: NodeJS.ProcessEnv = process.env;
