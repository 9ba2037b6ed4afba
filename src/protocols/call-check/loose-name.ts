/** A name without its case and separators: `Read-File`, `read_file` and `readFile` are the same. */
export const looseName = (name: string): string => name.replace(/[\s._-]/g, '').toLowerCase()
