/** What a replica of a service is called; the first by the service's own name. @param {string} service @param {number} replica */
export const copyOf = (service, replica) => (replica === 1 ? service : `${service} ${replica}`);
