/** For all three shells; our own texts have neither backslashes nor line ends. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
