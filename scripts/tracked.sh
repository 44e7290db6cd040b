#!/bin/sh
# Fails when git tracks an executable, a library or an archive of objects, because build products do not belong in a commit.
set -eu
cd "$(dirname -- "$0")/.."

# git knows which files are not text; their first bytes in the index identify their kind.
files=$(git -c core.quotePath=off ls-files --eol)
built=$(echo "$files" | sed -n 's/^i\/-text[^	]*	//p' | while read -r file; do
    case $(git cat-file blob ":$file" | od -An -tx1 -N8 | tr -d ' \n') in
    7f454c46*) kind='an ELF file' ;;
    4d5a*) kind='a program or library for Windows (PE)' ;;
    feedface* | feedfacf* | cefaedfe* | cffaedfe* | cafebabe*) kind='a Mach-O file' ;;
    213c617263683e0a*) kind='an archive of object files' ;;
    *) continue ;;
    esac
    echo "$file is $kind, and what is built does not belong in a commit; run: git rm --cached '$file', and name it in .gitignore"
done)
[ -z "$built" ] || { echo "$built" >&2; exit 1; }
echo 'no built program or library is tracked'
