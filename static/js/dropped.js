// Finds the files in what was dropped, folders and their folders included.

export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  const found = await Promise.all(entries.map(walk));
  return found.flat();
}

async function walk(entry) {
  // Files like .DS_Store are the file manager's, not the person's.
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const found = await Promise.all((await children(entry)).map(walk));
  return found.flat();
}

async function children(folder) {
  const reader = folder.createReader();
  const all = [];
  // A reader hands out at most a hundred entries at a time and an empty list at the end.
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
  }
}
