program "\"); panic!(\""
circuit f1
circuit f-> 3 