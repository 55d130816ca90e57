# Types a line and Tab into a new zsh on a terminal; prints what that shows, with the line at the end as <line>.
# usage: zsh -f press-tab.zsh <set-up of the shell> <line>
zmodload zsh/zpty
zpty shell 'stty cols 200 -echo; exec zsh -f -i'
zpty -w shell "PROMPT=; $1
show_line() { print -rn -- \"<\$BUFFER>\"; print DO''NE }; zle -N show_line; bindkey '^G' show_line
print REA''DY"
zpty -r shell REPLY '*READY*'
zpty -w -n shell "$2"$'\t\C-g'
zpty -r shell REPLY '*DONE'
print -r -- "${REPLY%DONE}"
zpty -d shell
